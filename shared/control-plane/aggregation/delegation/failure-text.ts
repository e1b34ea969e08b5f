/** What Node's TLS calls authorities that nobody has named. */
const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** Of an answer that takes too long. */
export const DEADLINE_EXCEEDED = 'context deadline exceeded'

interface SystemError extends Error {
  readonly code?: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

/** Why another server cannot be reached, in the words of Go where it has some: users compare them, and programs look for them. */
export function failureText(error: unknown): string {
  if (error instanceof AggregateError) return failureText(error.errors.at(-1))
  if (!(error instanceof Error)) return String(error)
  const { code = '', message, address, port, hostname } = error as SystemError
  if (UNKNOWN_AUTHORITY.has(code)) {
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority'
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `tls: failed to verify certificate: x509: ${message}`
  if (code === 'ECONNREFUSED') return `dial tcp ${address}:${port}: connect: connection refused`
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname}: no such host`
  if (code === 'ECONNRESET') return 'EOF'
  return message
}

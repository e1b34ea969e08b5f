/** Go's text of a request that takes too long. */
export const DEADLINE_EXCEEDED = 'context deadline exceeded'

/** Codes of Node's TLS for authorities that are not known. */
const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

/**
 * Returns why another server cannot be reached, in the words of Go's net and crypto/tls, for which users and
 * programs look. Failures without such words have Node's.
 */
export function connectionFailure(error: unknown): string {
  // Of a host with several addresses: the first one, as Go's net/dial.go has it; others may be of a family
  // that the machine does not speak.
  if (error instanceof AggregateError) return connectionFailure(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  const { code = '', address, port, hostname } = error as SystemError
  const peer = address?.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${peer}: connect: connection refused`
    case 'EADDRNOTAVAIL':
      return `dial tcp ${peer}: connect: cannot assign requested address`
    case 'EHOSTUNREACH':
      return `dial tcp ${peer}: connect: no route to host`
    case 'ENETUNREACH':
      return `dial tcp ${peer}: connect: network is unreachable`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${hostname}: no such host`
    case 'ECONNRESET':
      return 'EOF'
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return untrusted('certificate has expired or is not yet valid')
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return untrusted(error.message)
    default:
      return UNKNOWN_AUTHORITY.has(code)
        ? untrusted('certificate signed by unknown authority')
        : error.message
  }
}

const untrusted = (why: string): string => `tls: failed to verify certificate: x509: ${why}`

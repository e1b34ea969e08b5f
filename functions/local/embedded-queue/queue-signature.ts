import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { LocalCredentials } from '../../../shared/queue/index.ts'

const ALGORITHM = 'AWS4-HMAC-SHA256'
/** Scope and headers may name any region; nothing but its own form is believed. */
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d+\/[\w-]+\/sqs\/aws4_request), ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]+)$/

/**
 * Reports whether a request to SQS is signed with the credentials (Signature Version 4), its Host, target and
 * body included.
 */
export function isSigned(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  own: LocalCredentials,
): boolean {
  const [, accessKeyId = '', scope = '', signedHeaders = '', signature = ''] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? []
  const names = signedHeaders.split(';')
  if (accessKeyId !== own.accessKeyId || !['host', 'x-amz-target'].every((name) => names.includes(name)))
    return false
  const request = [
    method,
    url,
    '',
    ...names.map(
      (name) =>
        `${name}:${String(headers[name] ?? '')
          .trim()
          .replaceAll(/ +/g, ' ')}`,
    ),
    '',
    signedHeaders,
    createHash('sha256').update(body).digest('hex'),
  ].join('\n')
  const digest = createHash('sha256').update(request).digest('hex')
  const toSign = [ALGORITHM, headers['x-amz-date'], scope, digest].join('\n')
  let key: string | Buffer = `AWS4${own.secretAccessKey}`
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest()
  const expected = createHmac('sha256', key).update(toSign).digest()
  const given = Buffer.from(signature, 'hex')
  return given.length === expected.length && timingSafeEqual(expected, given)
}

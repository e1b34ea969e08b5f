import { entityTooLarge } from '../errors/index.ts'
import type { Request } from './exchange.ts'

/** 3 MiB: larger bodies are refused. */
const BODY_LIMIT = 3 * 1024 * 1024

/** The body as text. Throws a 413 above 3 MiB. */
export async function readBody(request: Request): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes: Buffer = Buffer.from(chunk)
    size += bytes.length
    if (size <= BODY_LIMIT) chunks.push(bytes)
  }
  if (size > BODY_LIMIT) throw entityTooLarge(`limit is ${BODY_LIMIT}`)
  return Buffer.concat(chunks).toString('utf8')
}

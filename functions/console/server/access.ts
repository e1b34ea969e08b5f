import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Bytes of a token: 192 bits. */
const TOKEN_BYTES = 24
/** Form of a token. It needs no escaping in a URL; 22 characters of base64url hold 128 bits. */
const TOKEN = /^[\w-]{22,128}$/

export const createToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url')

/** Reports whether a text may be a token: 22 to 128 characters that need no escaping in a URL. */
export const isToken = (text: string): boolean => TOKEN.test(text)

/** Compares with the token in constant time, independent of the length of the text. */
export function createTokenCheck(token: string): (given: string) => boolean {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
  const expected = digest(token)
  return (given) => timingSafeEqual(digest(given), expected)
}

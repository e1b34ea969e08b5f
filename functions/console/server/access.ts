import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 192 bits: nobody guesses it. */
const TOKEN_BYTES = 24
/** Form of a token. It needs no escaping in a URL; 22 characters of base64url hold 128 bits. */
const TOKEN = /^[\w-]{22,128}$/

export const createToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url')

/** Reports whether a text may be a token: 22 to 128 characters that need no escaping in a URL. */
export const isToken = (text: string): boolean => TOKEN.test(text)

/** Compares with the token in a time that tells nothing of where a text differs, nor of its length. */
export function createTokenCheck(token: string): (given: string) => boolean {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
  const expected = digest(token)
  return (given) => timingSafeEqual(digest(given), expected)
}

/**
 * Tells whether a browser means this server by the name that it asks for.
 * A page of somebody else whose name is made to lead to 127.0.0.1 (DNS rebinding) sends that name.
 * @param host the header `Host`
 */
export const isOwnHost = (host: string | undefined, port: number): boolean =>
  host === `127.0.0.1:${port}` || host === `localhost:${port}`

import { badRequest } from '../../errors/index.ts'
import { goJsonError } from '../../go-json-error.ts'
import { isObject, type JsonValue } from '../../json.ts'
import { goValueName } from '../../schema/index.ts'

/** Where a list that was cut goes on. A revision of -1 takes the rest from the latest state. */
export interface ContinueToken {
  readonly revision: number
  /** Keys from this one on, relative to the list's prefix. */
  readonly start: string
}

const VERSION = 'meta.k8s.io/v1'

export function encodeContinue({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: `/${start}` })).toString('base64url')
}

/** The token for what follows a key. */
export function continueAfter(revision: number, key: string): string {
  return encodeContinue({ revision, start: `${key}\0` })
}

export function decodeContinue(token: string): ContinueToken {
  const value = parse(decodeBase64(token))
  if (value.v !== VERSION)
    throw invalidToken(`server does not recognize this encoded version ${value.v ?? ''}`)
  const { rv, start } = value
  if (typeof rv !== 'number' || typeof start !== 'string' || start === '') {
    throw invalidToken('incorrect encoded start resourceVersion (version meta.k8s.io/v1)')
  }
  return { revision: rv, start: start.replace(/^\//, '') }
}

function decodeBase64(token: string): Buffer {
  const bad = token.search(/[^A-Za-z0-9_-]/)
  if (bad >= 0) throw invalidToken(`illegal base64 data at input byte ${bad}`)
  if (token.length % 4 === 1) throw invalidToken(`illegal base64 data at input byte ${token.length - 1}`)
  return Buffer.from(token, 'base64url')
}

function parse(text: Buffer): { v?: unknown; rv?: unknown; start?: unknown } {
  const value = parsed(text)
  if (isObject(value)) return value
  throw invalidToken(
    `json: cannot unmarshal ${goValueName(value)} into Go value of type storage.continueToken`,
  )
}

function parsed(text: Buffer): JsonValue {
  try {
    return JSON.parse(text.toString())
  } catch {
    throw invalidToken(goJsonError(text))
  }
}

function invalidToken(why: string) {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`)
}

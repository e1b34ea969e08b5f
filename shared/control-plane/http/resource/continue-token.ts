import { badRequest } from '../../errors/index.ts'
import { isObject } from '../../json.ts'

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
  const value = parse(Buffer.from(token, 'base64url').toString('latin1'))
  if (value.v !== VERSION)
    throw invalidToken(`server does not recognize this encoded version ${value.v ?? ''}`)
  const { rv, start } = value
  if (typeof rv !== 'number' || typeof start !== 'string' || start === '') {
    throw invalidToken('incorrect encoded start resourceVersion (version meta.k8s.io/v1)')
  }
  return { revision: rv, start: start.replace(/^\//, '') }
}

function parse(text: string): { v?: unknown; rv?: unknown; start?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    throw invalidToken(`invalid character '${text[0] ?? ''}' looking for beginning of value`)
  }
  throw invalidToken('it is no object')
}

function invalidToken(why: string) {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`)
}

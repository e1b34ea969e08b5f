import { badRequest } from '../../../apimachinery/errors/factories.ts'
import type { ApiError } from '../../../apimachinery/errors/status.ts'
import { goJsonError } from '../../../apimachinery/json/go-json-error.ts'

/** Place at which a list that was cut goes on. */
interface ContinueToken {
  /** Never 0; a negative one takes the rest from the latest state. The server may not have come to it. */
  readonly revision: bigint
  /** Keys from this one on, relative to the list's prefix. */
  readonly start: string
}

const VERSION = 'meta.k8s.io/v1'

/** Makes the token for what follows a key. */
export function continueAfter(revision: number, key: string): string {
  return encode(revision, `/${key}\0`)
}

/** Makes the token for the rest from a key on, in the state at the time of the request. */
export function continueLatest(start: string): string {
  return encode(-1, start)
}

function encode(rv: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv, start })).toString('base64url')
}

/** Reads what a client sends. Throws a 400 for what no server gives. */
export function decodeContinue(token: string): ContinueToken {
  const { v, rv, start } = fieldsOf(parse(decodeBase64(token)))
  if (v !== VERSION) throw invalidToken(`server does not recognize this encoded version ${v}`)
  if (rv === 0n) throw invalidToken(`incorrect encoded start resourceVersion (version ${VERSION})`)
  if (start === '') throw invalidToken(`encoded start key empty (version ${VERSION})`)
  const key = start.replace(/^\//, '')
  if (!isClean(key)) throw invalidToken(start)
  return { revision: rv, start: key }
}

/** Reports whether a key would lead nowhere else if keys were paths. */
function isClean(key: string): boolean {
  return key === '' || key.split('/').every((part) => !['', '.', '..'].includes(part))
}

/** Decodes base64 as Go does, which ignores line ends. */
function decodeBase64(token: string): Buffer {
  const bad = token.search(/[^A-Za-z0-9_\r\n-]/)
  if (bad >= 0) throw invalidToken(`illegal base64 data at input byte ${bad}`)
  const text = token.replaceAll(/[\r\n]/g, '')
  if (text.length % 4 === 1) throw invalidToken(`illegal base64 data at input byte ${token.length - 1}`)
  return Buffer.from(text, 'base64url')
}

/** The text of a number, which may be more than a number of JavaScript holds. */
class NumberText {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** Returns the members of the object; none if it is null. */
function parse(text: Buffer): [string, unknown][] {
  const value = parsed(text)
  if (value === null) return []
  if (typeof value === 'object' && !Array.isArray(value) && !(value instanceof NumberText)) {
    return Object.entries(value)
  }
  throw invalidToken(`json: cannot unmarshal ${nameOf(value)} into Go value of type storage.continueToken`)
}

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString(), withNumberTexts)
  } catch {
    throw invalidToken(goJsonError(text))
  }
}

function withNumberTexts(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? new NumberText(context?.source ?? String(value)) : value
}

/** Reads the fields as Go does: names in any case, null for nothing. */
function fieldsOf(members: readonly [string, unknown][]): { v: string; rv: bigint; start: string } {
  const fields = { v: '', rv: 0n, start: '' }
  for (const [member, value] of members) {
    const name = member.toLowerCase()
    if (value === null) continue
    if (name === 'rv') fields.rv = integerOf(value)
    else if (name === 'v' || name === 'start') fields[name] = textOf(name, value)
  }
  return fields
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw unfit(nameOf(value), name, 'string')
}

function integerOf(value: unknown): bigint {
  if (!(value instanceof NumberText)) throw unfit(nameOf(value), 'rv', 'int64')
  const { source } = value
  if (/^-?\d+$/.test(source) && BigInt.asIntN(64, BigInt(source)) === BigInt(source)) return BigInt(source)
  throw unfit(`number ${source}`, 'rv', 'int64')
}

function nameOf(value: unknown): string {
  if (value instanceof NumberText) return 'number'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

function unfit(what: string, member: string, type: string): ApiError {
  return invalidToken(
    `json: cannot unmarshal ${what} into Go struct field continueToken.${member} of type ${type}`,
  )
}

function invalidToken(why: string): ApiError {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`)
}

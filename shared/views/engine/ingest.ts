import { EvaluationError } from '../errors.ts'
import { checkedObject, excerpt, isObject, type Json, type JsonObject, member } from '../json/index.ts'
import { objectKey } from '../pipeline/index.ts'
import { groupKindText } from './order.ts'

const TYPES: ReadonlySet<unknown> = new Set(['Added', 'Updated', 'Upserted', 'Replaced', 'Deleted'])

/** An event that was checked. */
export interface Ingested {
  readonly groupKind: string
  readonly key: string
  readonly object: JsonObject
  readonly deleted: boolean
}

/** @returns the event, or what is wrong with it and the name of its object as far as it has one */
export function ingest(event: unknown): Ingested | { problem: string; name: string } {
  const { type, object } = (typeof event === 'object' && event !== null ? event : {}) as {
    type?: unknown
    object?: unknown
  }
  if (!TYPES.has(type)) {
    const found = typeof type === 'string' ? excerpt(type) : typeof type
    return { problem: `expected one of the types ${[...TYPES].join(', ')}, found ${found}`, name: '' }
  }
  const checked = checkedObject(object)
  if ('problem' in checked) return { problem: `object: ${checked.problem}`, name: '' }
  try {
    return { ...identityOf(checked.object), deleted: type === 'Deleted' }
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error
    return { problem: error.message, name: displayName(checked.object) }
  }
}

function identityOf(object: JsonObject): Omit<Ingested, 'deleted'> {
  const kind = member(object, 'kind')
  if (typeof kind !== 'string' || kind === '') throw new EvaluationError('the object has no kind')
  const apiVersion = member(object, 'apiVersion') ?? 'v1'
  if (typeof apiVersion !== 'string') {
    throw new EvaluationError(`apiVersion: expected a text, found ${excerpt(apiVersion)}`)
  }
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  const key = objectKey(object)
  const isSecret = group === '' && kind === 'Secret'
  return { groupKind: groupKindText({ group, kind }), key, object: isSecret ? decodedSecret(object) : object }
}

function displayName(object: JsonObject): string {
  const metadata = member(object, 'metadata')
  const { kind } = object
  const { namespace, name }: JsonObject = isObject(metadata) ? metadata : {}
  return [kind, [namespace, name].filter(isText).join('/')].filter(isText).join(' ')
}

const isText = (value: Json | undefined): value is string =>
  typeof value === 'string' && value !== '' && value.length < 300

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Decodes the base64 data of a Secret to plain text, so that pipelines can work with it. */
function decodedSecret(secret: JsonObject): JsonObject {
  const data = member(secret, 'data')
  if (!isObject(data)) return secret
  return {
    ...secret,
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decoded(value)])),
  }
}

function decoded(value: Json): Json {
  if (typeof value !== 'string' || !BASE64.test(value)) return value
  return Buffer.from(value, 'base64').toString('utf8')
}

import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, sameJson } from '../../apimachinery/json/values.ts'
import { type GroupVersion, pathOf } from '../api-service.ts'
import type { Delegate } from '../delegation/delegate.ts'
import { fetchFrom } from '../delegation/fetch.ts'
import { AGGREGATOR, identityHeaders } from '../delegation/identity-headers.ts'
import { parsed } from './read-discovery.ts'

/** OpenAPI v2 document of another server about its group-version. */
export interface RemoteDocument {
  /** `''` if the server sent none. */
  readonly etag: string
  readonly document: JsonObject
}

const DEFINITION = '#/definitions/'

/** Returns the document, the same one if unchanged; undefined if there is none. Rejects without an answer. */
export async function remoteDocument(
  delegate: Delegate,
  known: RemoteDocument | undefined,
): Promise<RemoteDocument | undefined> {
  const headers = {
    accept: 'application/json',
    ...(known?.etag ? { 'if-none-match': known.etag } : {}),
    ...identityHeaders(AGGREGATOR),
  }
  const { status, headers: answered, text } = await fetchFrom(delegate, { path: '/openapi/v2', headers })
  if (status === 304) return known
  if (status !== 200) return undefined
  const document = ownPart(parsed(text), delegate.groupVersion)
  return known && sameJson(known.document, document) ? known : { etag: answered.etag ?? '', document }
}

/** Removes paths outside of the group-version, and the definitions that only those need. */
function ownPart(document: JsonObject, groupVersion: GroupVersion): JsonObject {
  const prefix = `${pathOf(groupVersion)}/`
  const paths = Object.entries(objectAt(document, 'paths')).filter(([, item]) => isObject(item))
  const { own = [], foreign = [] } = Object.groupBy(paths, ([path]) =>
    path.startsWith(prefix) ? 'own' : 'foreign',
  )
  const all = objectAt(document, 'definitions')
  const [needed, foreignOnes] = [own, foreign].map((part) => reached(Object.fromEntries(part), all))
  const definitions = Object.entries(all).filter(
    ([name, item]) => isObject(item) && (needed?.has(name) || !foreignOnes?.has(name)),
  )
  const parameters = Object.entries(objectAt(document, 'parameters')).filter(([, item]) => isObject(item))
  return {
    paths: Object.fromEntries(own),
    definitions: Object.fromEntries(definitions),
    parameters: Object.fromEntries(parameters),
  }
}

/** Returns the names of the definitions to which paths, and in turn definitions, refer. */
function reached(paths: JsonObject, definitions: JsonObject): Set<string> {
  const found = new Set<string>()
  const waiting = referencesIn(paths)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name) || !Object.hasOwn(definitions, name)) continue
    found.add(name)
    waiting.push(...referencesIn(definitions[name]))
  }
  return found
}

function referencesIn(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (!isObject(value)) return []
  const { $ref } = value
  const own = typeof $ref === 'string' && $ref.startsWith(DEFINITION) ? [$ref.slice(DEFINITION.length)] : []
  return [...own, ...Object.values(value).flatMap(referencesIn)]
}

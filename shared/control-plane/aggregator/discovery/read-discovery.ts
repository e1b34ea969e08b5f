import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, objectsAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import { nameOf } from '../api-service.ts'

/** Media types of the document of all resources, the newer one first. */
export const AGGREGATED = ['v2', 'v2beta1'].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
)

export function isAggregated(contentType: string): boolean {
  const parts = contentType.toLowerCase().split(/\s*;\s*/)
  return (
    parts[0] === 'application/json' &&
    parts.includes('g=apidiscovery.k8s.io') &&
    parts.includes('as=apigroupdiscoverylist')
  )
}

/**
 * Returns the resources of every group-version in another server's document (APIGroupDiscoveryList), by the
 * name of its APIService. The document is checked: members of other types count as absent, and unknown ones
 * are left out.
 */
export function readAggregated(text: string): Map<string, JsonObject[]> {
  const found = new Map<string, JsonObject[]>()
  for (const group of objectsAt(parsed(text), 'items')) {
    const name = stringAt(objectAt(group, 'metadata'), 'name')
    for (const entry of objectsAt(group, 'versions')) {
      const version = stringAt(entry, 'version')
      found.set(nameOf({ group: name, version }), objectsAt(entry, 'resources').map(resourceOf))
    }
  }
  return found
}

/**
 * Returns the same from the older document of one group-version (APIResourceList), in which a subresource has
 * an entry of its own. As upstream converts it, group and version are left empty if they are those of the
 * document.
 */
export function readLegacy(text: string): JsonObject[] {
  const entries = objectsAt(parsed(text), 'resources')
  const subresources = Map.groupBy(
    entries.filter((entry) => stringAt(entry, 'name').includes('/')),
    (entry) => stringAt(entry, 'name').split('/', 1)[0],
  )
  return entries
    .filter((entry) => !stringAt(entry, 'name').includes('/'))
    .map((entry) => {
      const name = stringAt(entry, 'name')
      const below = (subresources.get(name) ?? []).map((subresource) => ({
        ...legacyEntry(subresource),
        subresource: stringAt(subresource, 'name').slice(name.length + 1),
      }))
      return resourceOf({
        ...legacyEntry(entry),
        resource: name,
        scope: entry.namespaced === true ? 'Namespaced' : 'Cluster',
        singularResource: stringAt(entry, 'singularName'),
        subresources: below,
      })
    })
}

function legacyEntry(entry: JsonObject): JsonObject {
  const responseKind = {
    group: stringAt(entry, 'group'),
    version: stringAt(entry, 'version'),
    kind: stringAt(entry, 'kind'),
  }
  return { ...entry, responseKind }
}

function resourceOf(entry: JsonObject): JsonObject {
  const subresources = objectsAt(entry, 'subresources').map((subresource) => ({
    subresource: stringAt(subresource, 'subresource'),
    responseKind: kindOf(subresource),
    verbs: stringsAt(subresource, 'verbs'),
  }))
  return {
    resource: stringAt(entry, 'resource'),
    responseKind: kindOf(entry),
    scope: entry.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singularResource: stringAt(entry, 'singularResource'),
    verbs: stringsAt(entry, 'verbs'),
    ...filled('shortNames', stringsAt(entry, 'shortNames')),
    ...filled('categories', stringsAt(entry, 'categories')),
    ...filled('subresources', subresources),
  }
}

function kindOf(entry: JsonObject): JsonObject {
  const kind = objectAt(entry, 'responseKind')
  return { group: stringAt(kind, 'group'), version: stringAt(kind, 'version'), kind: stringAt(kind, 'kind') }
}

function filled(member: string, items: JsonObject[] | string[]): JsonObject {
  return items.length > 0 ? { [member]: items } : {}
}

/** Throws a SyntaxError for what is no JSON, and an Error for what is no object. */
export function parsed(text: string): JsonObject {
  const value: unknown = JSON.parse(text)
  if (!isObject(value)) throw new Error('failed to read a discovery document: it is no JSON object')
  return value
}

import { apiVersionOf } from '../../../../kubernetes/index.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt, stringsAt } from '../../../apimachinery/json/values.ts'
import { ALL_VERBS, type Verb } from '../../../apiserver/registry/definition/resource-definition.ts'
import { resourceKey, type ServedResource } from '../controller-client.ts'

/** The documents of all resources (KEP-3352), the newer form first. */
export const AGGREGATED_DISCOVERY = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',')

const VERBS: ReadonlySet<string> = new Set(ALL_VERBS)

/** Resources of an API server, as it has named them. */
export class Discovered {
  /** Resources by group-version, each group's preferred version first; undefined until they are known. */
  readonly #versions: ReadonlyMap<string, readonly ServedResource[] | undefined>
  readonly #byKey = new Map<string, ServedResource>()
  readonly #byKind = new Map<string, ServedResource>()
  readonly undiscovered: readonly string[]

  private constructor(
    versions: ReadonlyMap<string, readonly ServedResource[] | undefined>,
    undiscovered: readonly string[],
  ) {
    this.#versions = versions
    this.undiscovered = undiscovered
    for (const resource of [...versions.values()].flatMap((resources) => resources ?? [])) {
      const kind = kindKey(apiVersionOf(resource), resource.kind)
      // Resources in several versions are read in the preferred one.
      if (!this.#byKey.has(resourceKey(resource))) this.#byKey.set(resourceKey(resource), resource)
      if (!this.#byKind.has(kind)) this.#byKind.set(kind, resource)
    }
  }

  /** Reads documents (APIGroupDiscoveryList). @throws Error where one is something else */
  static read(documents: readonly JsonObject[]): Discovered {
    const versions = new Map<string, readonly ServedResource[] | undefined>()
    for (const document of documents) {
      if (document.kind !== 'APIGroupDiscoveryList')
        throw new Error(
          'failed to discover resources: the server has no aggregated discovery, which Kubernetes has from 1.27 on',
        )
      for (const item of objectsAt(document, 'items')) readGroup(item, versions)
    }
    const stale = [...versions].flatMap(([name, resources]) => (resources === undefined ? [name] : []))
    return new Discovered(versions, stale)
  }

  /** Returns the same, with what was known before of group-versions that are not known now. */
  after(before: Discovered | undefined): Discovered {
    if (before === undefined || this.undiscovered.length === 0) return this
    const versions = new Map(this.#versions)
    for (const name of this.undiscovered) versions.set(name, before.#versions.get(name))
    return new Discovered(versions, this.undiscovered)
  }

  get resources(): ServedResource[] {
    return [...this.#byKey.values()]
  }

  find(key: string): ServedResource | undefined {
    return this.#byKey.get(key)
  }

  ofKind(apiVersion: string, kind: string): ServedResource | undefined {
    return this.#byKind.get(kindKey(apiVersion, kind))
  }
}

const kindKey = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`

function readGroup(item: JsonObject, versions: Map<string, readonly ServedResource[] | undefined>): void {
  const group = stringAt(objectAt(item, 'metadata'), 'name')
  for (const entry of objectsAt(item, 'versions')) {
    const version = stringAt(entry, 'version')
    const resources = objectsAt(entry, 'resources').flatMap((resource) => {
      const read = readResource(resource, group, version)
      return read === undefined ? [] : [read]
    })
    const isKnown = entry.freshness !== 'Stale'
    versions.set(group === '' ? version : `${group}/${version}`, isKnown ? resources : undefined)
  }
}

function readResource(entry: JsonObject, group: string, version: string): ServedResource | undefined {
  const plural = stringAt(entry, 'resource')
  const kind = stringAt(objectAt(entry, 'responseKind'), 'kind')
  if (plural === '' || kind === '') return undefined
  const verbs = stringsAt(entry, 'verbs').filter((verb): verb is Verb => VERBS.has(verb))
  return { group, version, plural, kind, namespaced: entry.scope === 'Namespaced', verbs }
}

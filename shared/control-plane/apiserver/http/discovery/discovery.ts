import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { apiVersionOf } from '../../registry/definition/names.ts'
import { ALL_VERBS, type ResourceDefinition } from '../../registry/definition/resource-definition.ts'
import type { Registry } from '../../registry/registry.ts'
import { compareVersions } from '../../registry/versions.ts'
import type { DelegatedApis, GroupVersions } from './delegated-apis.ts'

interface Entry {
  readonly name: string
  readonly definition: ResourceDefinition
  readonly kind: string
  readonly group: string
  readonly version: string
  readonly verbs: readonly string[]
}

/** The documents that list what is served. */
export class Discovery {
  readonly #registry: Registry
  readonly #delegated: DelegatedApis | undefined

  constructor(registry: Registry, delegated?: DelegatedApis) {
    this.#registry = registry
    this.#delegated = delegated
  }

  /** Returns the answer at `/api`. */
  versions(serverAddress: string): JsonObject {
    return {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
    }
  }

  /** Returns the answer at `/apis`. */
  groups(): JsonObject {
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: this.#listed().map(groupOf),
    }
  }

  /** Returns the answer at `/apis/GROUP`; undefined for an unknown group. */
  group(name: string): JsonObject | undefined {
    const found = [...this.#listed(), ...this.#own()].find(({ group }) => group === name)
    return found && { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(found) }
  }

  /** Returns the answer at `/api/v1` and `/apis/GROUP/VERSION`; undefined for an unknown version. */
  resources(group: string, version: string): JsonObject | undefined {
    const definitions = this.#definitions(group, version)
    if (definitions.length === 0) return undefined
    return {
      kind: 'APIResourceList',
      ...(group === '' ? {} : { apiVersion: 'v1' }),
      groupVersion: apiVersionOf({ group, version }),
      resources: definitions.flatMap(entriesOf).map(legacyEntry),
    }
  }

  /** Returns the aggregated document of `/api` (core) or of `/apis` (all other groups). */
  aggregated(core: boolean): JsonObject {
    const groups = core
      ? [{ group: '', versions: this.#versions('') }]
      : (this.#delegated?.ordered() ?? this.#own())
    return {
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: groups.map(({ group, versions }) => ({
        metadata: group === '' ? {} : { name: group },
        versions: versions.map((version) => this.#aggregatedVersion(group, version)),
      })),
    }
  }

  #aggregatedVersion(group: string, version: string): JsonObject {
    const delegated = this.#delegated?.entry({ group, version })
    if (delegated) return delegated
    const resources = this.#definitions(group, version).map(aggregatedEntry)
    return { version, resources, freshness: 'Current' }
  }

  hasGroup(group: string): boolean {
    return group === '' || this.#registry.hasGroup(group)
  }

  #groupNames(): string[] {
    return [...new Set(this.#registry.groupVersions.map(({ group }) => group))].filter((name) => name !== '')
  }

  #versions(name: string): string[] {
    return this.#registry.groupVersions
      .filter(({ group }) => group === name)
      .map(({ version }) => version)
      .sort(compareVersions)
  }

  /** Lists what this server serves itself, in the order of the registry. */
  #own(): GroupVersions[] {
    return this.#groupNames().map((group) => ({ group, versions: this.#versions(group) }))
  }

  #listed(): readonly GroupVersions[] {
    return this.#delegated?.listed() ?? this.#own()
  }

  #definitions(group: string, version: string): ResourceDefinition[] {
    return this.#registry.definitions
      .filter((definition) => definition.group === group && definition.version === version)
      .sort((a, b) => (a.plural < b.plural ? -1 : 1))
  }
}

function groupOf({ group, versions }: GroupVersions): JsonObject {
  const all = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions: all, ...(all[0] ? { preferredVersion: all[0] } : {}) }
}

export function entityTag(body: string): string {
  return `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`
}

/** Lists the resource and its subresources as legacy discovery does. */
function entriesOf(definition: ResourceDefinition): Entry[] {
  const { group, version, kind, plural } = definition
  const own = { name: plural, definition, kind, group, version, verbs: definition.verbs ?? ALL_VERBS }
  return [own, ...subresourcesOf(definition)]
}

function subresourcesOf(definition: ResourceDefinition): Entry[] {
  const { group, version, kind, plural, hasStatus, subresources = {}, codec } = definition
  const status = { verbs: ['get', 'patch', 'update'] as const, kind }
  const entries = Object.entries(hasStatus ? { status, ...subresources } : subresources).map(
    ([name, subresource]): Entry => ({
      name: `${plural}/${name}`,
      definition,
      kind: subresource.kind || kind,
      group: ('group' in subresource ? subresource.group : undefined) ?? group,
      version: ('version' in subresource ? subresource.version : undefined) ?? version,
      verbs: subresource.verbs,
    }),
  )
  // Those of custom resources stand as they are defined: the status first.
  return codec ? entries : entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function legacyEntry({ name, definition, kind, group, version, verbs }: Entry): JsonObject {
  const own = name === definition.plural
  const { singular, namespaced, shortNames, categories } = definition
  const elsewhere = group !== definition.group || version !== definition.version
  return {
    name,
    singularName: own ? singular : '',
    namespaced,
    ...(elsewhere ? { group, version } : {}),
    kind,
    verbs: [...verbs],
    ...(own && shortNames ? { shortNames: [...shortNames] } : {}),
    ...(own && categories ? { categories: [...categories] } : {}),
    ...(own && !definition.strategy?.answer ? { storageVersionHash: storageVersionHash(definition) } : {}),
  }
}

/** Computes the stored version's hash as upstream: the first 8 bytes of SHA-256 of group/version/kind. */
function storageVersionHash({ group, version, kind, shares, upstreamVersion }: ResourceDefinition): string {
  const stored = `${shares?.group ?? group}/${upstreamVersion ?? version}/${kind}`
  return createHash('sha256').update(stored).digest().subarray(0, 8).toString('base64')
}

function aggregatedEntry(definition: ResourceDefinition): JsonObject {
  const { plural, kind, namespaced, singular, shortNames, categories } = definition
  const subresources = subresourcesOf(definition).map((entry) => ({
    subresource: entry.name.slice(plural.length + 1),
    responseKind: responseKind(entry, definition),
    verbs: [...entry.verbs],
  }))
  return {
    resource: plural,
    responseKind: definition.codec
      ? { group: definition.group, version: definition.version, kind }
      : { group: '', version: '', kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...(definition.verbs ?? ALL_VERBS)],
    ...(shortNames ? { shortNames: [...shortNames] } : {}),
    ...(categories ? { categories: [...categories] } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  }
}

/** Returns the kind of answers. Group and version are left empty if they are those of the resource. */
function responseKind({ group, version, kind }: Entry, definition: ResourceDefinition): JsonObject {
  const same = !definition.codec && group === definition.group && version === definition.version
  return same ? { group: '', version: '', kind } : { group, version, kind }
}

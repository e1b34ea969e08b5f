import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import type { DelegatedApis, GroupVersions } from '../apiserver/http/discovery/delegated-apis.ts'
import type { Exchange } from '../apiserver/http/exchange.ts'
import type { Registry } from '../apiserver/registry/registry.ts'
import { compareVersions } from '../apiserver/registry/versions.ts'
import type { ObjectStore } from '../apiserver/storage/object-store.ts'
import {
  GROUP,
  type GroupVersion,
  groupVersionOf,
  nameOf,
  type Priorities,
  pathOf,
  prioritiesOf,
} from './api-service.ts'
import type { Delegates } from './delegates.ts'
import { forward } from './delegation/forward.ts'
import type { RemoteDiscovery } from './discovery/remote-discovery.ts'
import { builtinPriorities, CUSTOM } from './registration/priorities.ts'
import { apiServicesIn } from './services.ts'

interface AggregationParts {
  readonly registry: Registry
  readonly store: ObjectStore
  readonly delegates: Delegates
  readonly remote: RemoteDiscovery
}

const OPENAPI = '/openapi/v3'

/** Effect of APIServices on requests and discovery. */
export class Aggregation implements DelegatedApis {
  readonly #parts: AggregationParts

  constructor(parts: AggregationParts) {
    this.#parts = parts
  }

  serve(exchange: Exchange): boolean {
    const { path } = exchange.info
    const described = path.startsWith(`${OPENAPI}/`) ? path.slice(OPENAPI.length) : undefined
    const delegate = this.#parts.delegates.at(described ?? path)
    if (!delegate) return false
    // Nothing of its paths is served here, but only its own document of OpenAPI's.
    if (described !== undefined && described !== pathOf(delegate.groupVersion)) return false
    forward(exchange, delegate)
    return true
  }

  has(path: string): boolean {
    return this.#parts.delegates.at(path) !== undefined
  }

  listed(): GroupVersions[] {
    const all = apiServicesIn(this.#parts.store)
      .map((apiService) => ({ ...groupVersionOf(apiService), ...prioritiesOf(apiService) }))
      .filter(({ group }) => group !== '' && group !== GROUP)
    return [{ group: GROUP, versions: ['v1'] }, ...inOrder(all)]
  }

  ordered(): GroupVersions[] {
    const { registry, delegates, store } = this.#parts
    const local = registry.groupVersions
      .filter((groupVersion) => groupVersion.group !== '' && !delegates.get(nameOf(groupVersion)))
      .map((groupVersion): Ranked => ({ ...groupVersion, ...this.#priorities(groupVersion) }))
    const delegated = apiServicesIn(store)
      .filter(({ metadata }) => delegates.get(metadata.name ?? ''))
      .map((apiService): Ranked => ({ ...groupVersionOf(apiService), ...prioritiesOf(apiService) }))
    return inOrder([...local, ...delegated])
  }

  entry(groupVersion: GroupVersion): JsonObject | undefined {
    const name = nameOf(groupVersion)
    const delegate = this.#parts.delegates.get(name)
    return delegate && this.#parts.remote.entry(delegate, name)
  }

  openApiPaths(): JsonObject {
    const { delegates, remote } = this.#parts
    const paths = [...delegates.all].flatMap(([name, { groupVersion }]) => {
      const serverRelativeURL = remote.openApi(name)
      return serverRelativeURL ? [[pathOf(groupVersion).slice(1), { serverRelativeURL }]] : []
    })
    return Object.fromEntries(paths)
  }

  get openApiGeneration(): number {
    return this.#parts.remote.documents.generation
  }

  openApiV2(): JsonObject[] {
    return this.#parts.remote.documents.all
  }

  #priorities({ group, version }: GroupVersion): ReturnType<typeof builtinPriorities> {
    const isCustom = this.#parts.registry.definitions
      .filter((definition) => definition.group === group && definition.version === version)
      .every(({ codec }) => codec)
    return isCustom ? CUSTOM : builtinPriorities({ group, version })
  }
}

/** A group-version with what its APIService says of its place. */
type Ranked = GroupVersion & Priorities

/**
 * Groups in the order of discovery, each with its versions in theirs: those of a higher priority first; where
 * these are the same, groups by the names of their APIServices, and versions as Kubernetes orders them (`v2`,
 * `v1`, `v1beta1`).
 */
export function inOrder(all: readonly Ranked[]): GroupVersions[] {
  const byPriority = all.toSorted(
    (a, b) => b.groupPriorityMinimum - a.groupPriorityMinimum || (nameOf(a) < nameOf(b) ? -1 : 1),
  )
  return [...Map.groupBy(byPriority, ({ group }) => group)].map(([group, versions]) => ({
    group,
    versions: versions
      .toSorted((a, b) => b.versionPriority - a.versionPriority || compareVersions(a.version, b.version))
      .map(({ version }) => version),
  }))
}

import { ApiError } from '../../apimachinery/errors/status.ts'
import { sameJson } from '../../apimachinery/json/values.ts'
import { type KubeObject, labelsOf } from '../../apimachinery/objects.ts'
import { apiVersionOf } from '../../apiserver/registry/definition/names.ts'
import { createObject } from '../../apiserver/registry/writes/create.ts'
import { deleteObject } from '../../apiserver/registry/writes/delete.ts'
import { updateObject } from '../../apiserver/registry/writes/update.ts'
import { Workers } from '../../controllers/workers.ts'
import { GROUP, type GroupVersion, nameOf, type Priorities, RESOURCE, specOf } from '../api-service.ts'
import { type AggregationServices, apiServiceEndpoint, apiServicesIn, contextOf } from '../services.ts'
import { builtinPriorities, CUSTOM } from './priorities.ts'

const LABEL = 'kube-aggregator.kubernetes.io/automanaged'
/** Made when the server starts; what becomes of it then is its users' affair. */
const ON_START = 'onstart'
/** Restored to its desired state as long as the server runs. */
const ALWAYS = 'true'

interface Desired extends GroupVersion {
  readonly management: typeof ON_START | typeof ALWAYS
  readonly priorities: Priorities
}

/**
 * Keeps an APIService for every group-version that this server serves itself, as upstream's autoregister and
 * CRD registration controllers do. Those of the server's own groups are made at the start, and again then
 * if somebody has deleted them; those of custom resources follow their definitions, whatever anybody does to
 * them. An APIService without the label is not touched.
 */
export class AutoRegistration {
  readonly #services: AggregationServices
  readonly #queue: Workers<string>
  readonly #ends: (() => void)[] = []
  /** Names of the server's own groups that have been checked once. */
  readonly #synced = new Set<string>()
  readonly #atStart: ReadonlySet<string>

  constructor(services: AggregationServices) {
    this.#services = services
    this.#queue = new Workers({ work: () => this.#syncAll(), onError: services.onError })
    this.#atStart = new Set(apiServicesIn(services.store).map(({ metadata }) => metadata.name ?? ''))
  }

  /** Registers what is served already, then follows all changes. */
  start(): void {
    const { registry, store } = this.#services
    const later = (): void => this.#queue.add('all', 'all')
    this.#syncAll()
    this.#ends.push(
      store.subscribe(RESOURCE, later),
      registry.follow(() => {
        later()
        return later
      }),
    )
  }

  stop(): void {
    this.#queue.stop()
    for (const end of this.#ends) end()
  }

  #syncAll(): void {
    const desired = this.#desired()
    const stored = apiServicesIn(this.#services.store).map(({ metadata }) => metadata.name ?? '')
    for (const name of new Set([...desired.keys(), ...stored])) this.#sync(name, desired.get(name))
  }

  #desired(): Map<string, Desired> {
    const { registry } = this.#services
    const own = new Set(registry.definitions.filter(({ codec }) => !codec).map(apiVersionOf))
    const all = registry.groupVersions
      .filter(({ group }) => group !== GROUP)
      .map((groupVersion): [string, Desired] => [
        nameOf(groupVersion),
        own.has(apiVersionOf(groupVersion))
          ? { ...groupVersion, management: ON_START, priorities: builtinPriorities(groupVersion) }
          : { ...groupVersion, management: ALWAYS, priorities: CUSTOM },
      ])
    return new Map(all)
  }

  #sync(name: string, desired: Desired | undefined): void {
    const isFirst = !this.#synced.has(name)
    if (desired?.management === ON_START && !isFirst) return
    try {
      this.#correct(name, desired, isFirst)
      this.#synced.add(name)
    } catch (error) {
      // Another writer was faster: its change queues the object again.
      if (!(error instanceof ApiError && error.code === 409)) this.#services.onError(error)
    }
  }

  #correct(name: string, desired: Desired | undefined, isFirst: boolean): void {
    const { registry, store } = this.#services
    const endpoint = apiServiceEndpoint(registry)
    const stored = store.get(RESOURCE, name)
    if (!stored) {
      if (desired) createObject(endpoint, made(desired), undefined, contextOf(registry))
    } else if (!this.#isManaged(stored, isFirst)) return
    else if (!desired) deleteObject(endpoint, stored, {}, contextOf(registry))
    else if (!sameJson(specOf(stored), made(desired).spec)) {
      updateObject({ endpoint, stored }, { ...stored, spec: made(desired).spec }, contextOf(registry))
    }
  }

  #isManaged(stored: KubeObject, isFirst: boolean): boolean {
    const management = labelsOf(stored)[LABEL]
    if (management === ON_START) return isFirst && this.#atStart.has(stored.metadata.name ?? '')
    return management === ALWAYS
  }
}

function made({ group, version, management, priorities }: Desired): KubeObject {
  return {
    kind: 'APIService',
    apiVersion: `${GROUP}/v1`,
    metadata: { name: nameOf({ group, version }), labels: { [LABEL]: management } },
    // As decoded, an empty group is left out.
    spec: { ...(group === '' ? {} : { group }), version, ...priorities },
  }
}

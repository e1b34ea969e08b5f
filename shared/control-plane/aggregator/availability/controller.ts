import { ApiError } from '../../apimachinery/errors/status.ts'
import { sameJson } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { updateObject } from '../../apiserver/registry/writes/update.ts'
import { type Outcome, Poller } from '../../controllers/poller.ts'
import { type Availability, availabilityOf, LOCAL, RESOURCE, withAvailability } from '../api-service.ts'
import type { Delegates } from '../delegates.ts'
import { type AggregationServices, apiServiceEndpoint, apiServicesIn, contextOf } from '../services.ts'
import { checkAvailability } from './check.ts'

/** Milliseconds between two checks of an available server. */
const INTERVAL = 30_000
/** Milliseconds until the second check of one that is not; doubled each time, up to the interval. */
const FIRST_RETRY = 5

/**
 * Keeps the condition `Available` of every APIService, as upstream's local and remote availability
 * controllers do. A server is checked when its APIService, its Service or that one's EndpointSlices change,
 * and every 30 seconds.
 */
export class AvailabilityController {
  readonly #services: AggregationServices
  readonly #delegates: Delegates
  readonly #poller: Poller
  /** Conditions that were written last. Such a write is no reason to check again. */
  readonly #checked = new Map<string, Availability>()
  readonly #ends: (() => void)[] = []

  constructor(services: AggregationServices, delegates: Delegates) {
    this.#services = services
    this.#delegates = delegates
    this.#poller = new Poller({
      work: (name) => this.#check(name),
      interval: INTERVAL,
      firstRetry: FIRST_RETRY,
      onError: services.onError,
    })
  }

  start(): void {
    const { store } = this.#services
    for (const { metadata } of apiServicesIn(store)) this.#poller.poke(metadata.name ?? '')
    this.#ends.push(
      store.subscribe(RESOURCE, ({ type, object, previous }) => {
        if (type === 'DELETED') this.#forget(object)
        else if (this.#isNews(object, previous)) this.#poller.poke(object.metadata.name ?? '')
      }),
      store.subscribe('services', ({ object }) => this.#pokeUsersOf(object, object.metadata.name)),
      store.subscribe('endpointslices.discovery.k8s.io', ({ object }) => {
        const labels = object.metadata.labels as Record<string, string> | undefined
        this.#pokeUsersOf(object, labels?.['kubernetes.io/service-name'])
      }),
    )
  }

  stop(): void {
    this.#poller.stop()
    for (const end of this.#ends) end()
  }

  #forget({ metadata }: KubeObject): void {
    const { name = '' } = metadata
    this.#poller.forget(name)
    this.#checked.delete(name)
  }

  #isNews(apiService: KubeObject, previous: KubeObject | undefined): boolean {
    const checked = this.#checked.get(apiService.metadata.name ?? '')
    return (
      !previous || !sameJson(apiService.spec, previous.spec) || !isSame(availabilityOf(apiService), checked)
    )
  }

  #pokeUsersOf({ metadata }: KubeObject, service: string | undefined): void {
    for (const [name, delegate] of this.#delegates.all) {
      const { service: used } = delegate
      if (used.name === service && used.namespace === metadata.namespace) this.#poller.poke(name)
    }
  }

  async #check(name: string): Promise<Outcome> {
    const { registry } = this.#services
    const delegate = this.#delegates.get(name)
    const availability = delegate ? await checkAvailability(delegate, registry.objects) : LOCAL
    // It may have changed meanwhile: then it is checked once more.
    if (this.#delegates.get(name) !== delegate) return 'stale'
    this.#write(name, availability)
    if (!delegate) return undefined
    // A missing Service causes an event when it is created.
    return availability.status === 'True' ? 'good' : 'bad'
  }

  #write(name: string, availability: Availability): void {
    const { registry, store, onError } = this.#services
    const stored = store.get(RESOURCE, name)
    if (!stored || isSame(availabilityOf(stored), availability)) return
    this.#checked.set(name, availability)
    const endpoint = apiServiceEndpoint(registry)
    const subresource = { name: 'status', definition: { kind: '', verbs: [] } }
    try {
      const next = withAvailability(stored, availability, Date.now())
      updateObject({ endpoint, stored, subresource }, next, contextOf(registry))
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 409)) onError(error)
    }
  }
}

function isSame(a: Availability | undefined, b: Availability | undefined): boolean {
  return a?.status === b?.status && a?.reason === b?.reason && a?.message === b?.message
}

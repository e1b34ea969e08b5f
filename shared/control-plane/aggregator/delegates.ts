import { sameJson } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import type { ObjectStore } from '../apiserver/storage/object-store.ts'
import { RESOURCE, serviceOf } from './api-service.ts'
import { Delegate, type DelegateServices } from './delegation/delegate.ts'
import { pathParts } from './delegation/target-path.ts'
import { apiServicesIn } from './services.ts'

/** The servers that APIServices delegate to, by the names of these. */
export class Delegates {
  readonly #services: DelegateServices
  readonly #store: ObjectStore
  readonly #delegates = new Map<string, Delegate>()
  readonly #closing = new AbortController()
  #unsubscribe: (() => void) | undefined

  constructor(store: ObjectStore, services: Omit<DelegateServices, 'signal'>) {
    this.#store = store
    this.#services = { ...services, signal: this.#closing.signal }
  }

  start(): void {
    for (const apiService of apiServicesIn(this.#store)) this.#set(apiService)
    this.#unsubscribe = this.#store.subscribe(RESOURCE, ({ type, object, previous }) => {
      if (type === 'DELETED') this.#retire(object)
      else if (!previous || !sameJson(object.spec, previous.spec)) this.#set(object)
    })
  }

  stop(): void {
    this.#unsubscribe?.()
    this.#closing.abort()
    for (const delegate of this.#delegates.values()) delegate.retire()
    this.#delegates.clear()
  }

  get all(): ReadonlyMap<string, Delegate> {
    return this.#delegates
  }

  get(name: string): Delegate | undefined {
    return this.#delegates.get(name)
  }

  /** Returns the delegate that serves a path, as a request has it, in place of this server. */
  at(path: string): Delegate | undefined {
    if (this.#delegates.size === 0) return undefined
    const [first, group = '', version = ''] = pathParts(path) ?? []
    if (first === 'api') return this.#delegates.get('v1.')
    return first === 'apis' && group !== '' && version !== ''
      ? this.#delegates.get(`${version}.${group}`)
      : undefined
  }

  #set(apiService: KubeObject): void {
    this.#retire(apiService)
    const service = serviceOf(apiService)
    if (service) {
      this.#delegates.set(apiService.metadata.name ?? '', new Delegate(apiService, service, this.#services))
    }
  }

  #retire({ metadata }: KubeObject): void {
    const { name = '' } = metadata
    this.#delegates.get(name)?.retire()
    this.#delegates.delete(name)
  }
}

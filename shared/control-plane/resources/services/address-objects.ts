import { ApiError } from '../../apimachinery/errors/status.ts'
import { objectAt, stringAt } from '../../apimachinery/json/values.ts'
import { type KubeObject, labelsOf } from '../../apimachinery/objects.ts'
import { canonicalIp, familyOf } from '../../apimachinery/validation/ip.ts'
import { keyOf } from '../../apiserver/registry/definition/names.ts'
import type { Endpoint, Endpoints } from '../../apiserver/registry/definition/resource-definition.ts'
import { systemContext } from '../../apiserver/registry/system-context.ts'
import { createObject } from '../../apiserver/registry/writes/create.ts'
import { deleteObject } from '../../apiserver/registry/writes/delete.ts'
import { heldAddresses } from './spec.ts'

const FAMILY_LABEL = 'ipaddress.kubernetes.io/ip-family'
const MANAGED_BY_LABEL = 'ipaddress.kubernetes.io/managed-by'
const ALLOCATOR = 'ipallocator.k8s.io'

/**
 * Keeps an IPAddress for every cluster IP that a Service holds, and no other of its own (KEP-1880; upstream's
 * allocator and the loop that repairs what it left): at start for all, then with every write of a Service,
 * before that is answered. Returns what ends it.
 */
export function keepAddressObjects(registry: Endpoints): (() => void) | undefined {
  const services = registry.endpoint('', 'v1', 'services')
  const addresses = registry.endpoint('networking.k8s.io', 'v1', 'ipaddresses')
  if (services === undefined || addresses === undefined) return undefined
  const objects = new AddressObjects(registry, services, addresses)
  objects.repair()
  const ends = [
    services.store.subscribe(services.resource, ({ type, object, previous }) =>
      objects.follow(type === 'DELETED' ? undefined : object, previous),
    ),
    addresses.store.subscribe(addresses.resource, ({ type, object }) => {
      if (type === 'DELETED') objects.restore(object)
    }),
  ]
  return () => {
    for (const end of ends) end()
  }
}

class AddressObjects {
  readonly #registry: Endpoints
  readonly #services: Endpoint
  readonly #addresses: Endpoint

  constructor(registry: Endpoints, services: Endpoint, addresses: Endpoint) {
    this.#registry = registry
    this.#services = services
    this.#addresses = addresses
  }

  repair(): void {
    for (const service of this.#services.store.list(this.#services.resource, ''))
      this.follow(service, undefined)
    for (const address of this.#addresses.store.list(this.#addresses.resource, '')) {
      if (labelsOf(address)[MANAGED_BY_LABEL] === ALLOCATOR && this.#holderOf(address) === undefined) {
        deleteObject(this.#addresses, address, {}, this.#context())
      }
    }
  }

  follow(service: KubeObject | undefined, former: KubeObject | undefined): void {
    const held = new Set(heldAddresses(service))
    for (const address of heldAddresses(former)) {
      const object = held.has(address) ? undefined : this.#find(address)
      if (object) deleteObject(this.#addresses, object, {}, this.#context())
    }
    for (const address of held) if (service && !this.#find(address)) this.#create(address, service)
  }

  /** Restores an address object that is deleted while its Service still has the address. */
  restore(address: KubeObject): void {
    const holder = this.#holderOf(address)
    if (holder) this.#create(address.metadata.name ?? '', holder)
  }

  #find(address: string): KubeObject | undefined {
    return this.#addresses.store.get(this.#addresses.resource, canonicalIp(address))
  }

  #holderOf(address: KubeObject): KubeObject | undefined {
    const parent = objectAt(objectAt(address, 'spec'), 'parentRef')
    const key = keyOf(stringAt(parent, 'namespace'), stringAt(parent, 'name'))
    const service = this.#services.store.get(this.#services.resource, key)
    const held = heldAddresses(service).map(canonicalIp)
    return held.includes(address.metadata.name ?? '') ? service : undefined
  }

  #create(address: string, { metadata: { namespace = '', name = '' } }: KubeObject): void {
    const object: KubeObject = {
      kind: 'IPAddress',
      apiVersion: 'networking.k8s.io/v1',
      metadata: {
        name: canonicalIp(address),
        labels: { [FAMILY_LABEL]: familyOf(address), [MANAGED_BY_LABEL]: ALLOCATOR },
      },
      spec: { parentRef: { resource: 'services', namespace, name } },
    }
    try {
      createObject(this.#addresses, object, undefined, this.#context())
    } catch (error) {
      // A user who repaired by hand was faster.
      if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error
    }
  }

  #context() {
    return systemContext(this.#registry.objects, Date.now())
  }
}

import { invalid } from '../../apimachinery/errors/factories.ts'
import { invalidValue } from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { canonicalIp, familyOf, type IpFamily } from '../../apimachinery/validation/ip.ts'
import type { WriteContext } from '../../apiserver/registry/definition/write-context.ts'
import type { ObjectReader } from '../../apiserver/registry/object-reader.ts'
import { IpRange } from './ip-range.ts'
import { choosePorts, NodePorts } from './node-ports.ts'
import { hasClusterIp, heldAddresses, isHeadless, specOf } from './spec.ts'

/** Smallest range that a server may be configured with, which is also kube-apiserver's. */
const LEAST_ADDRESSES = 8n
const SERVICE = { group: '', kind: 'Service' }

type AllocationContext = Pick<WriteContext, 'dryRun' | 'objects'>

interface AddressSearch {
  /** Name of the Service. */
  readonly name: string
  /** Addresses that the Service has already. */
  readonly own: ReadonlySet<string>
  readonly objects: ObjectReader
  readonly dryRun: boolean
}

/**
 * Gives out cluster IPs and node ports. It knows what is held from the Services themselves, so it needs no
 * storage of its own; what a write has taken is reserved until it is stored. Addresses come from the
 * ranges that the server is configured with, and from every ServiceCIDR that is ready; one that has an
 * IPAddress is taken.
 */
export class ServiceAllocator {
  readonly #ranges: readonly IpRange[]
  readonly #held = new Set<string>()
  readonly #taken = new Set<string>()
  readonly #ports = new NodePorts()

  constructor(cidrs: readonly string[]) {
    this.#ranges = cidrs.map((cidr) => new IpRange(cidr))
    const small = this.#ranges.find(({ size }) => size < LEAST_ADDRESSES)
    if (small) {
      throw new RangeError(
        `failed to read service range ${small.cidr}: it must be a CIDR block of at least ${LEAST_ADDRESSES} addresses`,
      )
    }
  }

  /** Families of the cluster, the primary one first. */
  get families(): IpFamily[] {
    return this.#ranges.map(({ family }) => family)
  }

  /** The first address of the primary range. */
  get firstAddress(): string | undefined {
    return this.#ranges[0]?.first
  }

  /** Keeps track of what Services hold. */
  onChange(service: KubeObject | undefined, old: KubeObject | undefined): void {
    for (const address of heldAddresses(old)) this.#held.delete(canonicalIp(address))
    for (const address of heldAddresses(service)) this.#held.add(canonicalIp(address))
    this.#ports.onChange(service, old)
  }

  /**
   * Gives the Service the addresses and ports that it needs and lacks. Throws a 422 when one that it asks for
   * is not to be had. Returns what gives back what was taken: to be called when the Service is stored, as
   * then it holds them, or when it will not be.
   */
  allocate(service: KubeObject, old: KubeObject | undefined, context: AllocationContext): () => void {
    const { dryRun, objects } = context
    const spec: JsonObject = { ...specOf(service) }
    const own = new Set(heldAddresses(old))
    if (hasClusterIp(spec) && !isHeadless(spec)) {
      this.#allocateAddresses(spec, { name: service.metadata.name ?? '', own, objects, dryRun })
    }
    const ports = choosePorts(spec, service, old, this.#ports)
    service.spec = spec
    if (dryRun) return () => undefined
    return this.#take(
      heldAddresses(service).filter((address) => !own.has(address)),
      ports,
    )
  }

  #take(addresses: readonly string[], ports: ReadonlySet<number>): () => void {
    const names = addresses.map(canonicalIp)
    for (const name of names) this.#taken.add(name)
    this.#ports.take(ports)
    return () => {
      for (const name of names) this.#taken.delete(name)
      this.#ports.giveBack(ports)
    }
  }

  #allocateAddresses(spec: JsonObject, search: AddressSearch): void {
    const wanted = stringsAt(spec, 'clusterIPs')
    for (const address of wanted) {
      if (search.own.has(address)) continue
      const problem = this.#problemWith(address, search)
      if (problem) {
        const text = `failed to allocate IP ${address}: ${problem}`
        throw invalid(SERVICE, search.name, [invalidValue('spec.clusterIPs', [...wanted], text)])
      }
    }
    const families = stringsAt(spec, 'ipFamilies')
    const addresses = families.map((family, index) => wanted[index] ?? this.#freeAddress(family, search))
    spec.clusterIPs = addresses
    spec.clusterIP = addresses[0]
  }

  #problemWith(address: string, search: AddressSearch): string | undefined {
    const gives = this.#rangesOf(familyOf(address), search).some((range) => range.gives(address))
    if (!gives) return 'the provided network does not match the current range'
    // A dry run takes nothing, so it does not ask who has it either.
    if (search.dryRun) return undefined
    return this.#isTaken(address, search) ? 'provided IP is already allocated' : undefined
  }

  #freeAddress(family: string, search: AddressSearch): string {
    const ranges = this.#rangesOf(family, search)
    if (ranges.length === 0) {
      const text = 'this cluster is not configured for dual-stack services'
      throw invalid(SERVICE, search.name, [invalidValue('spec.ipFamilies[0]', family, text)])
    }
    for (const range of ranges) {
      // A dry run takes nothing, so it shows no address that another Service may have by then.
      if (search.dryRun) return range.network
      const address = range.free((candidate) => this.#isTaken(candidate, search))
      if (address !== undefined) return address
    }
    throw invalid(SERVICE, search.name, [
      invalidValue('spec.clusterIPs', null, 'failed to allocate a serviceIP: range is full'),
    ])
  }

  #isTaken(address: string, { objects }: AddressSearch): boolean {
    const name = canonicalIp(address)
    return (
      this.#held.has(name) ||
      this.#taken.has(name) ||
      objects.get('ipaddresses.networking.k8s.io', '', name) !== undefined
    )
  }

  #rangesOf(family: string | undefined, { objects }: AddressSearch): IpRange[] {
    return [...this.#ranges, ...readyRanges(objects, this.#ranges)].filter((range) => range.family === family)
  }
}

/** Returns the blocks of ServiceCIDRs that are ready and not being deleted, but for known ones. */
function readyRanges(objects: ObjectReader, known: readonly IpRange[]): IpRange[] {
  return objects
    .list('servicecidrs.networking.k8s.io')
    .filter(isReady)
    .flatMap((object) => stringsAt(objectAt(object, 'spec'), 'cidrs'))
    .filter((cidr) => !known.some((range) => range.cidr === cidr))
    .map((cidr) => new IpRange(cidr))
}

function isReady({ metadata, status }: KubeObject): boolean {
  if (metadata.deletionTimestamp !== undefined) return false
  const conditions = objectsAt(objectAt({ status }, 'status'), 'conditions')
  // A range without a condition counts as ready.
  return !conditions.some(({ type, status: value }) => type === 'Ready' && value !== 'True')
}

import { randomInt } from 'node:crypto'
import { invalid, invalidValue } from '../../errors/index.ts'
import { type JsonObject, numberAt, objectsAt, stringsAt } from '../../json.ts'
import type { KubeObject } from '../../objects.ts'
import type { ObjectReader, WriteContext } from '../../registry/index.ts'
import { canonicalIp, familyOf, type IpFamily } from '../../validation/index.ts'
import { IpRange } from './ip-range.ts'
import { readyRanges } from './ready-ranges.ts'
import {
  hasClusterIp,
  hasNodePorts,
  heldAddresses,
  heldPorts,
  isHeadless,
  needsHealthCheckPort,
  specOf,
} from './spec.ts'

const FIRST_PORT = 30_000
const LAST_PORT = 32_767
/** Of a range that a server is configured with, as kube-apiserver asks for. */
const LEAST_ADDRESSES = 8n
const SERVICE = { group: '', kind: 'Service' }

type AllocationContext = Pick<WriteContext, 'dryRun' | 'objects'>

interface AddressSearch {
  /** Of the Service. */
  readonly name: string
  /** Addresses that the Service has already. */
  readonly own: ReadonlySet<string>
  readonly objects: ObjectReader
  readonly dryRun: boolean
}

/**
 * Gives out cluster IPs and node ports. It knows what is held from the Services themselves, so it needs no storage of its own. Addresses come
 * from the ranges that the server is configured with, and from every ServiceCIDR that is ready; one that has an IPAddress is taken.
 */
export class ServiceAllocator {
  readonly #ranges: readonly IpRange[]
  readonly #addresses = new Set<string>()
  readonly #ports = new Set<number>()

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
    for (const address of heldAddresses(old)) this.#addresses.delete(canonicalIp(address))
    for (const port of heldPorts(old)) this.#ports.delete(port)
    for (const address of heldAddresses(service)) this.#addresses.add(canonicalIp(address))
    for (const port of heldPorts(service)) this.#ports.add(port)
  }

  /** Gives the Service the addresses and ports that it needs and lacks. Throws a 422 when one that it asks for is not to be had. */
  allocate(service: KubeObject, old: KubeObject | undefined, context: AllocationContext): void {
    const spec: JsonObject = { ...specOf(service) }
    const name = service.metadata.name ?? ''
    if (hasClusterIp(spec) && !isHeadless(spec))
      this.#allocateAddresses(spec, {
        name,
        own: new Set(heldAddresses(old)),
        objects: context.objects,
        dryRun: context.dryRun,
      })
    if (hasNodePorts(spec)) this.#allocatePorts(spec, name, new Set(heldPorts(old)))
    if (needsHealthCheckPort(spec) && !spec.healthCheckNodePort) {
      spec.healthCheckNodePort = this.#freePort(
        new Set(objectsAt(spec, 'ports').map((port) => numberAt(port, 'nodePort'))),
      )
    }
    service.spec = spec
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
    return this.#isTaken(address, search) ? 'provided IP is already allocated' : undefined
  }

  #freeAddress(family: string, search: AddressSearch): string {
    const ranges = this.#rangesOf(family, search)
    if (ranges.length === 0) {
      const text = 'this cluster is not configured for dual-stack services'
      throw invalid(SERVICE, search.name, [invalidValue('spec.ipFamilies[0]', family, text)])
    }
    for (const range of ranges) {
      // A dry run takes nothing, so it shows no address that somebody else may have by then.
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
    return this.#addresses.has(name) || objects.get('ipaddresses.networking.k8s.io', '', name) !== undefined
  }

  #rangesOf(family: string | undefined, { objects }: AddressSearch): IpRange[] {
    return [...this.#ranges, ...readyRanges(objects, this.#ranges)].filter((range) => range.family === family)
  }

  #allocatePorts(spec: JsonObject, name: string, own: ReadonlySet<number>): void {
    const taken = new Set<number>()
    spec.ports = objectsAt(spec, 'ports').map((port, index) => {
      const wanted = numberAt(port, 'nodePort') ?? 0
      if (wanted === 0) {
        const nodePort = this.#freePort(taken)
        taken.add(nodePort)
        return { ...port, nodePort }
      }
      const problem = own.has(wanted) ? undefined : this.#problemWithPort(wanted)
      if (problem)
        throw invalid(SERVICE, name, [invalidValue(`spec.ports[${index}].nodePort`, wanted, problem)])
      taken.add(wanted)
      return port
    })
  }

  #problemWithPort(port: number): string | undefined {
    if (port < FIRST_PORT || port > LAST_PORT) {
      return `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`
    }
    return this.#ports.has(port) ? 'provided port is already allocated' : undefined
  }

  #freePort(taken: ReadonlySet<number | undefined>): number {
    const count = LAST_PORT - FIRST_PORT + 1
    const start = randomInt(count)
    for (let step = 0; step < count; step++) {
      const port = FIRST_PORT + ((start + step) % count)
      if (!this.#ports.has(port) && !taken.has(port)) return port
    }
    throw new RangeError('failed to allocate a nodePort: range is full')
  }
}

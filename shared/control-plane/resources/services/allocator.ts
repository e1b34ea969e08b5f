import { randomInt } from 'node:crypto'
import { invalid, invalidValue } from '../../errors/index.ts'
import { type JsonObject, numberAt, objectsAt, stringsAt } from '../../json.ts'
import type { KubeObject } from '../../objects.ts'
import { familyOf, type IpFamily } from '../../validation/index.ts'
import { IpRange } from './ip-range.ts'
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
const SERVICE = { group: '', kind: 'Service' }

/** Gives out cluster IPs and node ports. It knows what is held from the Services themselves, so it needs no storage of its own. */
export class ServiceAllocator {
  readonly #ranges: readonly IpRange[]
  readonly #addresses = new Set<string>()
  readonly #ports = new Set<number>()

  constructor(cidrs: readonly string[]) {
    this.#ranges = cidrs.map((cidr) => new IpRange(cidr))
  }

  /** Families of the cluster, the primary one first. */
  get families(): IpFamily[] {
    return this.#ranges.map(({ family }) => family)
  }

  /** Keeps track of what Services hold. */
  onChange(service: KubeObject | undefined, old: KubeObject | undefined): void {
    for (const address of heldAddresses(old)) this.#addresses.delete(address)
    for (const port of heldPorts(old)) this.#ports.delete(port)
    for (const address of heldAddresses(service)) this.#addresses.add(address)
    for (const port of heldPorts(service)) this.#ports.add(port)
  }

  /** Gives the Service the addresses and ports that it needs and lacks. Throws a 422 when one that it asks for is not to be had. */
  allocate(service: KubeObject, old: KubeObject | undefined): void {
    const spec: JsonObject = { ...specOf(service) }
    const name = service.metadata.name ?? ''
    if (hasClusterIp(spec) && !isHeadless(spec))
      this.#allocateAddresses(spec, name, new Set(heldAddresses(old)))
    if (hasNodePorts(spec)) this.#allocatePorts(spec, name, new Set(heldPorts(old)))
    if (needsHealthCheckPort(spec) && !spec.healthCheckNodePort) {
      spec.healthCheckNodePort = this.#freePort(
        new Set(objectsAt(spec, 'ports').map((port) => numberAt(port, 'nodePort'))),
      )
    }
    service.spec = spec
  }

  #allocateAddresses(spec: JsonObject, name: string, own: ReadonlySet<string>): void {
    const wanted = stringsAt(spec, 'clusterIPs')
    for (const address of wanted) {
      if (own.has(address)) continue
      const problem = this.#problemWith(address)
      if (problem) {
        const text = `failed to allocate IP ${address}: ${problem}`
        throw invalid(SERVICE, name, [invalidValue('spec.clusterIPs', [...wanted], text)])
      }
    }
    const families = stringsAt(spec, 'ipFamilies')
    const addresses = families.map((family, index) => wanted[index] ?? this.#freeAddress(family, name))
    spec.clusterIPs = addresses
    spec.clusterIP = addresses[0]
  }

  #problemWith(address: string): string | undefined {
    const range = this.#ranges.find(({ family }) => family === familyOf(address))
    if (!range?.contains(address)) return 'the provided network does not match the current range'
    return this.#addresses.has(address) ? 'provided IP is already allocated' : undefined
  }

  #freeAddress(family: string, name: string): string {
    const range = this.#ranges.find((candidate) => candidate.family === family)
    if (!range) {
      const text = 'this cluster is not configured for dual-stack services'
      throw invalid(SERVICE, name, [invalidValue('spec.ipFamilies[0]', family, text)])
    }
    const address = range.free(this.#addresses)
    if (address !== undefined) return address
    throw invalid(SERVICE, name, [
      invalidValue('spec.clusterIPs', null, 'failed to allocate a serviceIP: range is full'),
    ])
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

import type { EndpointPort, Pod, Service, ServicePort } from '../types.ts'

/** Equal for two lists of ports exactly when they hold the same ports, in any order. */
export type PortSetKey = string & { readonly __brand: 'PortSetKey' }

/** Ports that some pods of a Service have in common; each has slices of its own. */
export interface PortSet {
  readonly key: PortSetKey
  readonly ports: readonly EndpointPort[]
}

/** The API server's default; only objects that never passed one lack a protocol. */
const DEFAULT_PROTOCOL = 'TCP'

/**
 * Makes the key of a list of ports. An absent field differs from an empty one, as it does to the API.
 * @example
 * ```ts
 * portSetKey([{ port: 80 }, { port: 443 }]) // => portSetKey([{ port: 443 }, { port: 80 }])
 * ```
 */
export function portSetKey(ports: readonly EndpointPort[]): PortSetKey {
  const keys = ports.map(({ name, port, protocol, appProtocol }) =>
    JSON.stringify([name ?? null, port ?? null, protocol ?? null, appProtocol ?? null]),
  )
  return keys.sort().join() as PortSetKey
}

/**
 * Finds the port of the pod that a Service's port leads to: a number as it is, a name looked up among the
 * ports of the containers and then of the sidecars (init containers with restartPolicy Always, KEP-753).
 * @returns `undefined` when the pod has no port of that name and protocol.
 * @example
 * ```ts
 * const pod = { spec: { containers: [{ name: 'main', ports: [{ name: 'http', containerPort: 8080 }] }] } }
 * findTargetPort(pod, { port: 80, targetPort: 'http' }) // => 8080
 * findTargetPort(pod, { port: 80, targetPort: 'grpc' }) // => undefined
 * ```
 */
export function findTargetPort(pod: Pod, servicePort: ServicePort): number | undefined {
  const target = servicePort.targetPort ?? servicePort.port
  if (typeof target === 'number') return target
  const protocol = servicePort.protocol ?? DEFAULT_PROTOCOL
  for (const container of pod.spec?.containers ?? []) {
    const port = containerPort(container, target, protocol)
    if (port !== undefined) return port
  }
  for (const container of pod.spec?.initContainers ?? []) {
    if (container.restartPolicy !== 'Always') continue
    const port = containerPort(container, target, protocol)
    if (port !== undefined) return port
  }
  return undefined
}

type Container = NonNullable<Pod['spec']>['containers'][number]

function containerPort(container: Container, name: string, protocol: string): number | undefined {
  for (const port of container.ports ?? []) {
    if (port.name === name && (port.protocol ?? DEFAULT_PROTOCOL) === protocol) return port.containerPort
  }
  return undefined
}

/** Lists the Service's ports that lead nowhere in this pod: it has no port of that name and protocol. */
export const unresolvedPorts = (service: Service, pod: Pod): ServicePort[] =>
  (service.spec?.ports ?? []).filter((port) => findTargetPort(pod, port) === undefined)

/** Finds the port set of each pod of a Service; pods that resolve named ports alike share one object. */
export class PortResolver {
  readonly #servicePorts: readonly ServicePort[]
  readonly #named: readonly ServicePort[]
  readonly #byNumbers = new Map<string, PortSet>()
  readonly #byKey = new Map<PortSetKey, PortSet>()

  constructor(service: Service) {
    this.#servicePorts = service.spec?.ports ?? []
    this.#named = this.#servicePorts.filter((port) => typeof port.targetPort === 'string')
  }

  /** Every port set found so far. */
  get portSets(): readonly PortSet[] {
    return [...this.#byKey.values()]
  }

  /** Returns the port set of a pod; ports that the pod does not have are left out. */
  portSetOf(pod: Pod): PortSet {
    let numbers = ''
    for (const port of this.#named) numbers += `${findTargetPort(pod, port)},`
    const known = this.#byNumbers.get(numbers)
    if (known !== undefined) return known
    const portSet = this.#resolve(pod)
    this.#byNumbers.set(numbers, portSet)
    return portSet
  }

  #resolve(pod: Pod): PortSet {
    const ports: EndpointPort[] = []
    for (const servicePort of this.#servicePorts) {
      const port = findTargetPort(pod, servicePort)
      if (port !== undefined) ports.push(endpointPort(servicePort, port))
    }
    return this.intern(ports)
  }

  /** Returns the port set of ports that need no resolving. */
  intern(ports: readonly EndpointPort[]): PortSet {
    const key = portSetKey(ports)
    const portSet = this.#byKey.get(key) ?? { key, ports }
    this.#byKey.set(key, portSet)
    return portSet
  }
}

function endpointPort({ name, protocol, appProtocol }: ServicePort, port: number): EndpointPort {
  const common = { name: name ?? '', port, protocol: protocol ?? DEFAULT_PROTOCOL }
  return appProtocol === undefined || appProtocol === null ? common : { ...common, appProtocol }
}

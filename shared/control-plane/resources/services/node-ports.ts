import { randomInt } from 'node:crypto'
import { internalError, invalid } from '../../apimachinery/errors/factories.ts'
import { invalidValue } from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { numberAt, objectsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { hasNodePorts, heldPorts, needsHealthCheckPort, specOf, typeOf } from './spec.ts'

const FIRST_PORT = 30_000
const LAST_PORT = 32_767
/** Ports before it are given unasked only when the others are gone: reserved for requests (KEP-3668). */
const FIRST_UNASKED = 30_086

/** The node ports that Services hold, and those that writes under way have taken. */
export class NodePorts {
  readonly #held = new Set<number>()
  readonly #taken = new Set<number>()

  /** Keeps track of what Services hold. */
  onChange(service: KubeObject | undefined, old: KubeObject | undefined): void {
    for (const port of heldPorts(old)) this.#held.delete(port)
    for (const port of heldPorts(service)) this.#held.add(port)
  }

  isFree(port: number): boolean {
    return !this.#held.has(port) && !this.#taken.has(port)
  }

  take(ports: Iterable<number>): void {
    for (const port of ports) this.#taken.add(port)
  }

  giveBack(ports: Iterable<number>): void {
    for (const port of ports) this.#taken.delete(port)
  }
}

/**
 * Fills in the node ports that a Service needs and lacks. Throws a 422 when one that it asks for is not to be
 * had, and a 500 where that is the one of health checks, as upstream.
 * @param spec is changed
 * @returns the ports that the Service did not have before
 */
export function choosePorts(
  spec: JsonObject,
  service: KubeObject,
  old: KubeObject | undefined,
  ports: NodePorts,
): ReadonlySet<number> {
  const choice = new Choice(ports, service)
  // A load balancer that none are given for may still ask for some.
  const mayHavePorts = ['NodePort', 'LoadBalancer'].includes(typeOf(spec))
  if (mayHavePorts) spec.ports = old ? updatedPorts(spec, specOf(old), choice) : createdPorts(spec, choice)
  if (needsHealthCheckPort(spec) && !(old && needsHealthCheckPort(specOf(old)))) {
    spec.healthCheckNodePort = choice.forHealthChecks(numberAt(spec, 'healthCheckNodePort') ?? 0)
  }
  return choice.chosen
}

/** Choice of ports for one write of a Service. */
class Choice {
  readonly chosen = new Set<number>()
  readonly #ports: NodePorts
  readonly #name: string
  readonly #asked: ReadonlySet<number>

  constructor(ports: NodePorts, service: KubeObject) {
    this.#ports = ports
    this.#name = service.metadata.name ?? ''
    this.#asked = new Set(heldPorts(service))
  }

  /** Takes a port that the Service asks for in its port of that index. */
  asked(port: number, index: number): number {
    const problem = this.#problemWith(port)
    if (problem)
      throw invalid({ group: '', kind: 'Service' }, this.#name, [
        invalidValue(`spec.ports[${index}].nodePort`, port, problem),
      ])
    this.chosen.add(port)
    return port
  }

  forHealthChecks(asked: number): number {
    if (asked === 0) return this.any()
    const problem = this.#problemWith(asked)
    if (problem) throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`)
    this.chosen.add(asked)
    return asked
  }

  any(): number {
    const port = this.#freeFrom(FIRST_UNASKED, LAST_PORT) ?? this.#freeFrom(FIRST_PORT, FIRST_UNASKED - 1)
    if (port === undefined) throw internalError('failed to allocate a nodePort: range is full')
    this.chosen.add(port)
    return port
  }

  #problemWith(port: number): string | undefined {
    if (port < FIRST_PORT || port > LAST_PORT) {
      return `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`
    }
    return this.#isFree(port) ? undefined : 'provided port is already allocated'
  }

  #isFree(port: number): boolean {
    return this.#ports.isFree(port) && !this.chosen.has(port)
  }

  #freeFrom(first: number, last: number): number | undefined {
    const count = last - first + 1
    const start = randomInt(count)
    for (let step = 0; step < count; step++) {
      const port = first + ((start + step) % count)
      if (this.#isFree(port) && !this.#asked.has(port)) return port
    }
    return undefined
  }
}

/** Allocates ports. Ports of the same number, such as DNS', share a node port: the first one requested. */
function createdPorts(spec: JsonObject, choice: Choice): JsonObject[] {
  const ports = objectsAt(spec, 'ports')
  const known = new Map<number, number>()
  return ports.map((port, index) => {
    const wanted = numberAt(port, 'nodePort') ?? 0
    if (wanted === 0 && !hasNodePorts(spec)) return port
    const number = numberAt(port, 'port') ?? 0
    const nodePort = known.get(number) ?? chosenFor(number, index, ports, choice)
    known.set(number, nodePort)
    if (wanted === 0 || wanted === nodePort) return { ...port, nodePort }
    return { ...port, nodePort: choice.asked(wanted, index) }
  })
}

function chosenFor(number: number, index: number, ports: readonly JsonObject[], choice: Choice): number {
  const asked = ports.find((port) => numberAt(port, 'port') === number && numberAt(port, 'nodePort'))
  const wanted = numberAt(asked, 'nodePort')
  return wanted === undefined ? choice.any() : choice.asked(wanted, index)
}

function updatedPorts(spec: JsonObject, before: JsonObject, choice: Choice): JsonObject[] {
  const own = new Set(objectsAt(before, 'ports').map((port) => numberAt(port, 'nodePort')))
  return objectsAt(spec, 'ports').map((port, index) => {
    const wanted = numberAt(port, 'nodePort') ?? 0
    if (wanted === 0) return hasNodePorts(spec) ? { ...port, nodePort: choice.any() } : port
    if (own.has(wanted) || choice.chosen.has(wanted)) return port
    return { ...port, nodePort: choice.asked(wanted, index) }
  })
}

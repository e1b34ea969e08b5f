import {
  createEngine,
  type Engine,
  type EngineOptions,
  type OperatorSpec,
} from '../../../shared/views/index.ts'
import { median } from '../race/latencies.ts'
import { serviceEvent, sliceEvent, type Workload } from './workload.ts'

export interface Measurement {
  /** Milliseconds an event: the median of rounds. */
  readonly medianMs: number
  /**
   * Milliseconds of processor time an event, over all rounds: what other programs on the machine do not
   * change.
   */
  readonly cpuMs: number
  /** Changes of views that an event gave, on average. */
  readonly deltas: number
}

const ROUNDS = 15

export interface MeasureOptions {
  readonly mode: EngineOptions['mode']
  readonly workload: Workload
  /** Events a round. */
  readonly events: number
}

/** Loads the workload, and then changes one address of one Service after the other. */
export function measure(spec: OperatorSpec, { mode, workload, events }: MeasureOptions): Measurement {
  const engine = loaded(spec, mode, workload)
  let version = 1
  let deltas = 0
  const round = (): number => {
    const started = performance.now()
    for (let event = 0; event < events; event++) {
      // A prime step: neighbours in time are no neighbours in memory.
      const service = (version * 7919) % workload.services
      deltas += engine.apply(sliceEvent(service, workload.endpoints, ++version)).view.length
    }
    return (performance.now() - started) / events
  }
  // The first rounds compile the code.
  for (let warmUp = 0; warmUp < 3; warmUp++) round()
  deltas = 0
  const before = process.cpuUsage()
  const times = Array.from({ length: ROUNDS }, round)
  const { user, system } = process.cpuUsage(before)
  return {
    medianMs: median(times),
    cpuMs: (user + system) / 1000 / (ROUNDS * events),
    deltas: deltas / (ROUNDS * events),
  }
}

function loaded(spec: OperatorSpec, mode: EngineOptions['mode'], { services, endpoints }: Workload): Engine {
  const engine = createEngine(spec, { mode })
  engine.start()
  const numbers = Array.from({ length: services }, (_, service) => service)
  engine.apply(...numbers.map(serviceEvent), ...numbers.map((service) => sliceEvent(service, endpoints, 1)))
  return engine
}

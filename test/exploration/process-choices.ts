import { type Call, describeCall, isWrite } from './calls.ts'
import type { Choice } from './explore.ts'
import { lost } from './refusals.ts'
import { type Process, redelivered, type Scenario, type WorkersState } from './scenario.ts'
import { type Answer, answer, type SimulatedCluster } from './simulated-api.ts'
import { viewsFor } from './snapshots.ts'
import type { Steps } from './steps.ts'
import { writerOf } from './writer.ts'

/** Lists what may happen next to one process. */
type ProcessChoices = (
  state: WorkersState,
  index: number,
  process: Process,
) => readonly Choice<WorkersState>[]

/** Creates the choices of a process: its call is answered, or gets no answer, or the process dies. */
export function createProcessChoices(
  scenario: Scenario,
  { fresh, withProcess, answered }: Steps,
): ProcessChoices {
  const answers = new Map<Call, Map<string, Answer>>()

  /** The same call of the same process to the same cluster is part of many interleavings. */
  function answerTo(cluster: SimulatedCluster, call: Call, process: Process, lag: number): Answer {
    const ofCall = answers.get(call) ?? new Map<string, Answer>()
    answers.set(call, ofCall)
    const { pods, service } = process.view
    const key = `${cluster.key} ${lag} ${pods} ${service}`
    const given =
      ofCall.get(key) ?? answer(cluster, call, writerOf(scenario, process), viewsFor(cluster, call)[lag])
    ofCall.set(key, given)
    return given
  }

  function callChoices(state: WorkersState, index: number, process: Process): Choice<WorkersState>[] {
    const { calls } = process.state
    return (scenario.answersInOrder ? calls.slice(0, 1) : calls).flatMap((waiting) => {
      const { call } = waiting
      const views = viewsFor(state.cluster, call)
      return views.map((_, lag) => ({
        label: () => `worker ${index + 1}: ${describeCall(call)}${lag === 0 ? '' : `, ${lag} behind`}`,
        take: () => answered(state, index, waiting, answerTo(state.cluster, call, process, lag)),
      }))
    })
  }

  function lossChoices(state: WorkersState, index: number, process: Process): Choice<WorkersState>[] {
    if (state.faults.losses === 0) return []
    const left = { ...state, faults: { ...state.faults, losses: state.faults.losses - 1 } }
    const calls = process.state.calls.filter(({ call }) => call.verb !== 'pause')
    return calls.flatMap((waiting) => {
      const { call } = waiting
      const what = (): string => `worker ${index + 1}: ${describeCall(call)}`
      const request: Choice<WorkersState> = {
        label: () => `${what()}: the request is lost`,
        take: () => answered(left, index, waiting, { cluster: state.cluster, error: lost(), key: 'lost' }),
      }
      if (!isWrite(call)) return [request]
      const reply: Choice<WorkersState> = {
        label: () => `${what()}: the reply is lost`,
        take: () => {
          const { cluster } = answer(state.cluster, call, writerOf(scenario, process))
          return answered(left, index, waiting, { cluster, error: lost(), key: 'lost' })
        },
      }
      return [request, reply]
    })
  }

  function crashChoices(state: WorkersState, index: number, process: Process): Choice<WorkersState>[] {
    if (state.faults.crashes === 0 || process.handled.size === 0) return []
    const returned = [...process.handled.values()].filter(({ id }) => !state.finished.has(id))
    const died: WorkersState = {
      ...withProcess(state, index, fresh),
      queue: [...state.queue, ...returned.map(redelivered)],
      faults: { ...state.faults, crashes: state.faults.crashes - 1 },
    }
    const who = `worker ${index + 1}`
    const crash: Choice<WorkersState> = { label: () => `${who} dies`, take: () => died }
    const writes = state.faults.strays === 0 ? [] : process.state.calls.filter(({ call }) => isWrite(call))
    const late = writes.map(
      ({ call }): Choice<WorkersState> => ({
        label: () => `${who} dies with a request on its way: ${describeCall(call)}`,
        take: () => ({
          ...died,
          strays: [...state.strays, { call, view: process.view }],
          faults: { ...died.faults, strays: state.faults.strays - 1 },
        }),
      }),
    )
    return [crash, ...late]
  }

  return (state, index, process) => [
    ...callChoices(state, index, process),
    ...lossChoices(state, index, process),
    ...crashChoices(state, index, process),
  ]
}

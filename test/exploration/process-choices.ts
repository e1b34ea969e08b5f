import { describeCall, isWrite } from './calls.ts'
import type { Choice } from './explore.ts'
import { lost } from './refusals.ts'
import { type Process, redelivered, type Scenario, type WorkersState } from './scenario.ts'
import { answer } from './simulated-api.ts'
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
  function callChoices(state: WorkersState, index: number, process: Process): Choice<WorkersState>[] {
    const { calls } = process.state
    return (scenario.answersInOrder ? calls.slice(0, 1) : calls).flatMap((waiting) => {
      const { call } = waiting
      const who = `worker ${index + 1}`
      const views = viewsFor(state.cluster, call)
      return views.map((view, lag) => ({
        get label() {
          return `${who}: ${describeCall(call)}${lag === 0 ? '' : `, ${lag} behind`}`
        },
        take: () =>
          answered(state, index, waiting, answer(state.cluster, call, writerOf(scenario, process), view)),
      }))
    })
  }

  function lossChoices(state: WorkersState, index: number, process: Process): Choice<WorkersState>[] {
    if (state.faults.losses === 0) return []
    const left = { ...state, faults: { ...state.faults, losses: state.faults.losses - 1 } }
    const calls = process.state.calls.filter(({ call }) => call.verb !== 'pause')
    return calls.flatMap((waiting) => {
      const { call } = waiting
      const what = `worker ${index + 1}: ${describeCall(call)}`
      const request: Choice<WorkersState> = {
        label: `${what}: the request is lost`,
        take: () => answered(left, index, waiting, { cluster: state.cluster, error: lost(), key: 'lost' }),
      }
      if (!isWrite(call)) return [request]
      const reply: Choice<WorkersState> = {
        label: `${what}: the reply is lost`,
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
    const crash: Choice<WorkersState> = { label: `${who} dies`, take: () => died }
    const writes = state.faults.strays === 0 ? [] : process.state.calls.filter(({ call }) => isWrite(call))
    const late = writes.map(
      ({ call }): Choice<WorkersState> => ({
        label: `${who} dies with a request on its way: ${describeCall(call)}`,
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

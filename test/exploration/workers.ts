import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import { podsTwice, reconcileOnce, wrongSlices } from './at-rest.ts'
import { describeCall, isWrite } from './calls.ts'
import type { Choice, Model } from './explore.ts'
import { createProcessModel, type ProcessModel, type ProcessState, type WaitingCall } from './process.ts'
import { lost } from './refusals.ts'
import {
  type EnvironmentStep,
  FIRST_MS,
  keyOfState,
  type Message,
  type Process,
  redelivered,
  type Scenario,
  type WorkersState,
} from './scenario.ts'
import {
  type Answer,
  answer,
  NO_VIEW,
  orphanedSlices,
  podViews,
  removeObject,
  type SimulatedCluster,
  type View,
} from './simulated-api.ts'
import { verified } from './verifying-relay.ts'

/** Everybody but the workers. */
const OTHERS = -1

/** Beyond the ids of the messages of any step. */
const FIRST_NOTICE = 10_000

/** So far apart are two changes on the clock that every process looks at: more than clocks may differ. */
const STEP_MS = 10_000

/** Workers that reconcile one Service while it changes: every call of theirs and every change is a choice. */
export interface WorkersModel extends Model<WorkersState> {
  /** Histories of one process that the real code was run for. */
  readonly histories: number
}

export function createWorkersModel(scenario: Scenario): WorkersModel {
  const model = createProcessModel(scenario.settings)
  const fresh: Process = { state: model.start, handled: new Map(), view: NO_VIEW }
  const checked = new Map<string, Promise<readonly string[]>>()
  // By their text: messages that are alike are one.
  const notices = new Map<string, number>()
  const {
    crashes = 0,
    losses = 0,
    duplicates = 0,
    strays = 0,
    sharedReceipts = false,
  } = scenario.faults ?? {}
  const writerOf = ({ view }: { readonly view: View }) => ({
    view,
    managedBy: scenario.settings.managedBy,
    service: scenario.service.name,
  })
  // Who remembers nothing need not know the time; then states at different times are the same.
  const nowOf = ({ stepsDone }: WorkersState): number =>
    FIRST_MS + (scenario.isReused ? stepsDone * STEP_MS : 0)

  const withProcess = (state: WorkersState, index: number, process: Process): WorkersState => ({
    ...state,
    processes: state.processes.with(index, process),
  })

  /** The process after an input; messages that it is done with leave it, those that failed go back. */
  function continued(state: WorkersState, index: number, before: Process, after: ProcessState): WorkersState {
    const handled = new Map(before.handled)
    let { queue, finished } = state
    for (const [order, message] of before.handled) {
      const outcome = after.messages[order]
      if (outcome === 'running') continue
      handled.delete(order)
      if (outcome === 'failed') queue = [...queue, redelivered(message)]
      else if (sharedReceipts) finished = finished.union(new Set([message.id]))
    }
    queue = queue.filter(({ id }) => !finished.has(id))
    const isIdle = handled.size === 0 && !scenario.isReused
    return withProcess(
      { ...state, queue, finished },
      index,
      isIdle ? fresh : { ...before, state: after, handled },
    )
  }

  function feed(
    state: WorkersState,
    index: number,
    process: Process,
    input: Parameters<ProcessModel['next']>[1],
  ): WorkersState | Promise<WorkersState> {
    const next = model.next(process.state, input, nowOf(state))
    return next instanceof Promise
      ? next.then((after) => continued(state, index, process, after))
      : continued(state, index, process, next)
  }

  function answered(
    state: WorkersState,
    index: number,
    { id }: WaitingCall,
    { cluster, value, error, key, view }: Answer,
  ): WorkersState | Promise<WorkersState> {
    const process = state.processes[index] ?? fresh
    const reader = view === undefined ? process : { ...process, view: { ...process.view, ...view } }
    const after = written(state, cluster)
    return feed(after, index, reader, { kind: 'answer', call: id, value, error, key })
  }

  /** After a write, which the relay sees at once: later it would know more. */
  function written(state: WorkersState, cluster: SimulatedCluster): WorkersState {
    const messages =
      scenario.relayVerifies === true && cluster !== state.cluster ? verified(state.cluster, cluster) : []
    return {
      ...state,
      cluster,
      queue: [...state.queue, ...messages.map((message) => noticeOf(state, message))],
    }
  }

  function noticeOf(state: WorkersState, message: KeyMessage): Message {
    const text = JSON.stringify(message)
    const id = notices.get(text) ?? FIRST_NOTICE + notices.size
    notices.set(text, id)
    return { message, sentTimestamp: nowOf(state), receiveCount: 1, id }
  }

  function callChoices(state: WorkersState, index: number, process: Process): Choice<WorkersState>[] {
    const { calls } = process.state
    return (scenario.answersInOrder ? calls.slice(0, 1) : calls).flatMap((waiting) => {
      const { call } = waiting
      const who = `worker ${index + 1}`
      const views = podViews(state.cluster, call)
      return views.map((pods, lag) => ({
        label: `${who}: ${describeCall(call)}${lag === 0 ? '' : `, ${lag} behind`}`,
        take: () => answered(state, index, waiting, answer(state.cluster, call, writerOf(process), pods)),
      }))
    })
  }

  function lossChoices(state: WorkersState, index: number, process: Process): Choice<WorkersState>[] {
    if (state.faults.losses === 0) return []
    const left = { ...state, faults: { ...state.faults, losses: state.faults.losses - 1 } }
    const error = lost()
    const calls = process.state.calls.filter(({ call }) => call.verb !== 'pause')
    return calls.flatMap((waiting) => {
      const { call } = waiting
      const what = `worker ${index + 1}: ${describeCall(call)}`
      const request: Choice<WorkersState> = {
        label: `${what}: the request is lost`,
        take: () => answered(left, index, waiting, { cluster: state.cluster, error, key: 'lost' }),
      }
      if (!isWrite(call)) return [request]
      const reply: Choice<WorkersState> = {
        label: `${what}: the reply is lost`,
        take: () => {
          const { cluster } = answer(state.cluster, call, writerOf(process))
          return answered(left, index, waiting, { cluster, error, key: 'lost' })
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

  function deliveryChoices(state: WorkersState): Choice<WorkersState>[] {
    const choices: Choice<WorkersState>[] = []
    const seen = new Set<string>()
    for (const [place, message] of state.queue.entries()) {
      for (const [index, process] of state.processes.entries()) {
        const what = `${message.id}.${message.receiveCount} to ${process.state.id}`
        if (process.handled.size >= scenario.capacity || seen.has(what)) continue
        seen.add(what)
        choices.push(...deliver(state, place, message, index))
      }
    }
    return choices
  }

  function deliver(
    state: WorkersState,
    place: number,
    message: Message,
    index: number,
  ): Choice<WorkersState>[] {
    const process = state.processes[index] ?? fresh
    const taken: Process = {
      ...process,
      handled: new Map(process.handled).set(process.state.messages.length, message),
    }
    const input = { kind: 'message', ...message } as const
    const label = `worker ${index + 1} gets message ${message.id}${message.receiveCount > 1 ? ' again' : ''}`
    const queue = state.queue.toSpliced(place, 1)
    const once: Choice<WorkersState> = {
      label,
      take: () => feed({ ...state, queue }, index, taken, input),
    }
    if (state.faults.duplicates === 0) return [once]
    const faults = { ...state.faults, duplicates: state.faults.duplicates - 1 }
    const twice: Choice<WorkersState> = {
      label: `${label}, which stays in the queue`,
      take: () => feed({ ...state, faults }, index, taken, input),
    }
    return [once, twice]
  }

  function environmentChoices(state: WorkersState): Choice<WorkersState>[] {
    const step = scenario.steps[state.stepsDone]
    const choices = orphanedSlices(state.cluster).map(
      (slice): Choice<WorkersState> => ({
        label: `the garbage collector deletes ${slice.metadata?.name}`,
        take: () => ({ ...state, cluster: removeObject(state.cluster, ENDPOINT_SLICES.plural, slice) }),
      }),
    )
    if (step === undefined) return choices
    return [...choices, { label: step.label, take: () => changed(state, step) }]
  }

  function changed(state: WorkersState, step: EnvironmentStep): WorkersState {
    const cluster = step.change(state.cluster)
    const stepsDone = state.stepsDone + 1
    const sentTimestamp = nowOf({ ...state, stepsDone })
    const messages = step.messages(cluster, state.cluster).map(
      (message, index): Message => ({
        message: scenario.relayVerifies === true ? { ...message, relayVerifies: true } : message,
        sentTimestamp,
        receiveCount: 1,
        id: stepsDone * 10 + index,
      }),
    )
    return { ...state, cluster, stepsDone, queue: [...state.queue, ...messages] }
  }

  const strayChoices = (state: WorkersState): Choice<WorkersState>[] =>
    state.strays.map((stray, place) => ({
      label: `late: ${describeCall(stray.call)}`,
      take: () => ({
        ...state,
        strays: state.strays.toSpliced(place, 1),
        // What is late may be of an older view: that is what a stray is.
        cluster: { ...answer(state.cluster, stray.call, writerOf(stray)).cluster, violations: [] },
      }),
    }))

  /** The current one first, so that the first choice goes on with what was begun. */
  function actorsOf({ actor, processes }: WorkersState): Set<number> {
    return new Set([...(actor === OTHERS ? [] : [actor]), ...processes.keys(), OTHERS])
  }

  function choicesOf(state: WorkersState, actor: number): Choice<WorkersState>[] {
    const process = state.processes[actor]
    if (process === undefined)
      return [...deliveryChoices(state), ...strayChoices(state), ...environmentChoices(state)]
    return [
      ...callChoices(state, actor, process),
      ...lossChoices(state, actor, process),
      ...crashChoices(state, actor, process),
    ]
  }

  function check(state: WorkersState, isEnd: boolean): Promise<readonly string[]> | readonly string[] {
    const wrong = [
      ...state.cluster.violations,
      ...(scenario.neverTwice === true ? podsTwice(state.cluster) : []),
    ]
    if (!isEnd || wrong.length > 0) return wrong
    const { key } = state.cluster
    const known = checked.get(key) ?? checkEnd(state.cluster)
    checked.set(key, known)
    return known
  }

  async function checkEnd(cluster: SimulatedCluster): Promise<readonly string[]> {
    const wrong = wrongSlices(scenario, cluster)
    return wrong.length > 0 ? wrong : (await reconcileOnce(scenario, cluster, model)).writes
  }

  return {
    start: {
      cluster: scenario.cluster,
      stepsDone: 0,
      queue: [],
      finished: new Set(),
      processes: Array.from({ length: scenario.processes }, () => fresh),
      strays: [],
      faults: { crashes, losses, duplicates, strays },
      actor: OTHERS,
      interruptions: scenario.maxInterruptions ?? 0,
    },
    choices(state) {
      const current = state.processes[state.actor]
      const isBusy = scenario.maxInterruptions !== undefined && (current?.state.calls.length ?? 0) > 0
      const choices: Choice<WorkersState>[] = []
      for (const actor of actorsOf(state)) {
        const isInterrupted = isBusy && actor !== state.actor
        if (isInterrupted && state.interruptions === 0) continue
        const interruptions = state.interruptions - (isInterrupted ? 1 : 0)
        const before = scenario.maxInterruptions === undefined ? state : { ...state, actor, interruptions }
        choices.push(...choicesOf(before, actor))
      }
      return choices
    },
    key: keyOfState,
    check,
    get histories() {
      return model.size
    },
  }
}

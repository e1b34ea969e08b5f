import { type KeyMessage, mergeMessages } from '../../shared/queue/index.ts'
import type { ProcessModel, ProcessState, WaitingCall } from './process.ts'
import {
  FIRST_MS,
  keyMessage,
  type Message,
  makeProcess,
  type Process,
  type ProcessContent,
  redelivered,
  type Scenario,
  type WorkersState,
} from './scenario.ts'
import { type Answer, NO_VIEW, type SimulatedCluster, type View, viewOfFacts } from './simulated-api.ts'
import { isRight, verified } from './verifying-relay.ts'

/** Beyond the ids of the messages of any step. */
const FIRST_NOTICE = 10_000

/** The states that follow when something comes to a process. */
export interface Steps {
  /** A process that remembers nothing. */
  readonly fresh: Process
  /** Returns the time of a clock, in milliseconds. */
  nowOf(state: WorkersState): number
  withProcess(state: WorkersState, index: number, process: Process): WorkersState
  feed(
    state: WorkersState,
    index: number,
    process: ProcessContent,
    input: Parameters<ProcessModel['next']>[1],
  ): WorkersState | Promise<WorkersState>
  answered(
    state: WorkersState,
    index: number,
    call: WaitingCall,
    answer: Answer,
  ): WorkersState | Promise<WorkersState>
  /** Starts the relay, which lists everything and sends what is wrong. */
  relayStarted(state: WorkersState): WorkersState
}

/** Returns what a process has seen: once a run has ended, what the messages that waited for it say. */
function viewAfter(
  cluster: SimulatedCluster,
  before: ProcessContent,
  handled: ProcessContent['handled'],
): View {
  const isNextRun = handled.size > 0 && handled.size < before.handled.size
  if (!isNextRun) return before.view
  const merged = [...handled.values()].map(({ message }) => message).reduce(mergeMessages)
  return viewOfFacts(cluster, merged, before.view)
}

const withProcess = (state: WorkersState, index: number, process: Process): WorkersState => ({
  ...state,
  processes: state.processes.with(index, process),
})

export function createSteps(scenario: Scenario, model: ProcessModel): Steps {
  const fresh = makeProcess({ state: model.start, handled: new Map(), view: NO_VIEW })
  // By their text: messages that are alike are one.
  const notices = new Map<string, number>()
  const verifications = new Map<string, readonly KeyMessage[]>()
  const afterStarts = new Map<number, readonly KeyMessage[]>()
  // Who remembers nothing need not know the time; then states at different times are the same.
  const nowOf = ({ stepsDone }: WorkersState): number =>
    FIRST_MS + (scenario.isReused ? stepsDone * (scenario.stepMs ?? 10_000) : 0)

  /**
   * Puts the process after an input into the state. Messages that it has handled leave it, and failed ones go
   * back.
   */
  function continued(
    state: WorkersState,
    index: number,
    before: ProcessContent,
    after: ProcessState,
  ): WorkersState {
    const handled = new Map(before.handled)
    let { queue, finished } = state
    for (const [order, message] of before.handled) {
      const outcome = after.messages[order]
      if (outcome === 'running') continue
      handled.delete(order)
      if (outcome === 'failed') queue = [...queue, redelivered(message)]
      else if (scenario.faults?.sharedReceipts) finished = finished.union(new Set([message.id]))
    }
    queue = queue.filter(({ id }) => !finished.has(id))
    const isIdle = handled.size === 0 && !scenario.isReused
    const view = viewAfter(state.cluster, before, handled)
    const process = isIdle ? fresh : makeProcess({ view, state: after, handled })
    return withProcess({ ...state, queue, finished }, index, process)
  }

  function feed(
    state: WorkersState,
    index: number,
    process: ProcessContent,
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
    return feed(written(state, cluster), index, reader, { kind: 'answer', call: id, value, error, key })
  }

  /** Adds the relay's messages after a write. It sees the write at once, as later it would know more. */
  function written(state: WorkersState, cluster: SimulatedCluster): WorkersState {
    if (cluster === state.cluster) return state
    const isVerified = scenario.relayVerifies === true && !state.isRelayDown
    const messages = isVerified ? verificationsOf(state.cluster, cluster) : []
    return {
      ...state,
      cluster,
      queue: [...state.queue, ...messages.map((message) => noticeOf(state, message))],
    }
  }

  /** Asks the relay once about each write. */
  function verificationsOf(before: SimulatedCluster, after: SimulatedCluster): readonly KeyMessage[] {
    const write = `${before.key} ${after.key}`
    const messages = verifications.get(write) ?? verified(before, after)
    verifications.set(write, messages)
    return messages
  }

  function noticeOf(state: WorkersState, message: KeyMessage): Message {
    const text = JSON.stringify(message)
    const id = notices.get(text) ?? FIRST_NOTICE + notices.size
    notices.set(text, id)
    return { message, sentTimestamp: nowOf(state), receiveCount: 1, id }
  }

  function relayStarted(state: WorkersState): WorkersState {
    const { key } = state.cluster
    const messages = afterStarts.get(key) ?? (isRight(state.cluster) ? [] : [keyMessage()])
    afterStarts.set(key, messages)
    const queue = [...state.queue, ...messages.map((message) => noticeOf(state, message))]
    return { ...state, queue, isRelayDown: false }
  }

  return { fresh, nowOf, withProcess, feed, answered, relayStarted }
}

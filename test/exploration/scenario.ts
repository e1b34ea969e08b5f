import type { KeyMessage } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Call } from './calls.ts'
import type { ProcessState } from './process.ts'
import type { SimulatedCluster, View } from './simulated-api.ts'

/** The cluster's name in every message. */
export const CLUSTER = 'blue'
export const NAMESPACE = 'shop'
export const SERVICE = 'web'
export const MANAGED_BY = 'sliceflow.dev'
/** Slices are full with two, so that few pods make several. */
export const ENDPOINTS_A_SLICE = 2
/** Makes the message of the Service without anything else, which requests a full sync. */
export const keyMessage = (): KeyMessage => ({ cluster: CLUSTER, namespace: NAMESPACE, service: SERVICE })
/** The clocks' time when a scenario begins. */
export const FIRST_MS = Date.UTC(2026, 0, 1)

/** Something that others do to the cluster, and the messages that the relay sends for it. */
export interface EnvironmentStep {
  readonly label: string
  change(cluster: SimulatedCluster): SimulatedCluster
  messages(after: SimulatedCluster, before: SimulatedCluster): readonly KeyMessage[]
}

interface Faults {
  /** Processes that die, at any point; their messages are delivered again. */
  readonly crashes?: number
  /** Calls without an answer; whether the request came through is another choice. */
  readonly losses?: number
  /** Messages that are delivered once more beside. */
  readonly duplicates?: number
  /**
   * Times that the relay stops: it sees nothing and sends nothing, until it starts, lists everything and
   * sends what is wrong.
   */
  readonly relayOutages?: number
  /** Writes that arrive after the process that sent them has died. */
  readonly strays?: number
  /** Whether the end of one delivery of a message ends the others, which then may die without effect. */
  readonly sharedReceipts?: boolean
}

export interface Scenario {
  readonly cluster: SimulatedCluster
  /** Steps that are taken in this order, at any time. */
  readonly steps: readonly EnvironmentStep[]
  /** The one that is reconciled. */
  readonly service: { readonly namespace: string; readonly name: string }
  readonly settings: Settings
  readonly processes: number
  /** Messages that one process handles at once. */
  readonly capacity: number
  /** Whether a process remembers what it did; otherwise every message meets a new one. */
  readonly isReused: boolean
  /**
   * Milliseconds between two changes on the clock that every process reads. Default 10,000: more than
   * clocks may differ.
   */
  readonly stepMs?: number
  readonly faults?: Faults
  /**
   * The relay verifies what is written, and says so in its messages; versions must be global. Default false.
   */
  readonly relayVerifies?: boolean
  /** No pod ever stands in two slices, not even in between: where no endpoint moves. Default false. */
  readonly neverTwice?: boolean
  /**
   * Bounds how often a worker that could go on is interrupted by another one or by a change (a bound on
   * preemptions, as in CHESS); default: no bound. Most faults need one or two.
   */
  readonly maxInterruptions?: number
  /**
   * Whether the calls that one process makes at once are answered in the order in which it makes them.
   * Default false.
   */
  readonly answersInOrder?: boolean
}

export interface Message {
  readonly message: KeyMessage
  readonly sentTimestamp: number
  readonly receiveCount: number
  /** The same for all deliveries of one message. */
  readonly id: number
}

export interface ProcessContent {
  readonly state: ProcessState
  /** Messages by the order in which they came to the process. */
  readonly handled: ReadonlyMap<number, Message>
  /** Age of what it has read last. */
  readonly view: View
}

export interface Process extends ProcessContent {
  /** The same for processes to which the same things can happen. */
  readonly text: string
}

export interface WorkersState {
  readonly cluster: SimulatedCluster
  readonly stepsDone: number
  readonly queue: readonly Message[]
  /** Messages of shared receipts that one worker has finished: gone, although others still work on them. */
  readonly finished: ReadonlySet<number>
  readonly processes: readonly Process[]
  readonly strays: readonly { readonly call: Call; readonly view: View }[]
  readonly faults: Required<Omit<Faults, 'sharedReceipts'>>
  readonly isRelayDown: boolean
  /** Actor of the last step, and the number of interruptions left; counts only if they are bounded. */
  readonly actor: number
  readonly interruptions: number
}

/**
 * Counts a message as received again. SQS counts on, but to the reconciler only the first time is different.
 */
export const redelivered = (message: Message): Message => ({ ...message, receiveCount: 2 })

/** Processes are interchangeable. */
export function keyOfState(state: WorkersState): string {
  const { cluster, stepsDone, queue, finished, processes, strays, faults } = state
  const messages = queue.map(textOf).sort()
  const parts = processes.map(({ text }, index) => (index === state.actor ? `acts ${text}` : text)).sort()
  const late = strays.map(({ call }) => JSON.stringify(call))
  const { crashes, losses, duplicates, strays: straysLeft, relayOutages } = faults
  const relay = `${relayOutages}${state.isRelayDown ? ' down' : ''}`
  const left = `${crashes} ${losses} ${duplicates} ${straysLeft} ${relay} ${state.interruptions}`
  const ended = finished.size === 0 ? '' : [...finished].sort().join()
  return [cluster.key, stepsDone, left, messages, ended, parts.join(';'), late, cluster.violations].join('|')
}

export function makeProcess({ state, handled, view }: ProcessContent): Process {
  const held = [...handled].map(([order, message]) => `${order}:${textOf(message)}`)
  return { state, handled, view, text: `${state.id} ${held} ${view.pods}/${view.service}` }
}

const textOf = ({ id, receiveCount }: Message): string => `${id}.${receiveCount}`

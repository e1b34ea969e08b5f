import { setImmediate as macrotask } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Reconcile } from '../../shared/queue/consumer/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import { createReconciler } from '../../shared/reconciler/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { type Call, createAskingClient, UnsimulatedCallError } from './calls.ts'

/** Event that comes to a process from outside. */
type Input =
  | {
      readonly kind: 'message'
      readonly message: KeyMessage
      readonly receiveCount: number
      readonly sentTimestamp: number
    }
  | {
      readonly kind: 'answer'
      readonly call: number
      readonly value?: unknown
      readonly error?: Error
      readonly key: string
    }

export interface WaitingCall {
  /** Counts the calls of the process. */
  readonly id: number
  readonly call: Call
}

/** A process after all that came to it: a state that cannot be changed, only continued. */
export interface ProcessState {
  readonly id: number
  readonly calls: readonly WaitingCall[]
  /** State of the messages, in the order in which they came. */
  readonly messages: readonly ('running' | 'done' | 'failed')[]
}

/**
 * The real reconciler as a function of what comes to it. It is deterministic: the same inputs in the same
 * order bring it to the same calls, so each history is run once and looked up from then on, however many
 * interleavings it is part of.
 */
export interface ProcessModel {
  readonly start: ProcessState
  /**
   * @param now what a clock shows when the input comes, in milliseconds; counts only where the process reads
   *   at it
   */
  next(state: ProcessState, input: Input, now: number): ProcessState | Promise<ProcessState>
  /** Histories that were run. */
  readonly size: number
}

interface Node extends ProcessState {
  readonly next: Map<string, Node>
  readonly parent?: { readonly node: Node; readonly input: Input; readonly now: number }
  /** A running process in this state, until an input takes it away. */
  live?: LiveProcess
}

export function createProcessModel(settings: Settings): ProcessModel {
  let size = 0
  const start: Node = { id: 0, calls: [], messages: [], next: new Map() }

  async function run(node: Node, input: Input, now: number): Promise<Node> {
    const live = await liveAt(node)
    const { calls, messages, sawClock } = await live.feed(input, now)
    const parent = { node, input, now }
    const next: Node = { id: ++size, calls, messages, next: new Map(), parent, live }
    node.next.set(sawClock ? timed(input, now) : textOf(input), next)
    return next
  }

  async function liveAt(node: Node): Promise<LiveProcess> {
    const { live, parent } = node
    delete node.live
    if (live !== undefined) return live
    if (parent === undefined) return new LiveProcess(settings)
    const again = await liveAt(parent.node)
    const { calls, messages } = await again.feed(parent.input, parent.now)
    if (!isDeepStrictEqual({ calls, messages }, { calls: node.calls, messages: node.messages }))
      throw new Error('the same inputs led to other calls than before: something else has a part in it')
    return again
  }

  return {
    start,
    next(state, input, now) {
      const node = state as Node
      return node.next.get(textOf(input)) ?? node.next.get(timed(input, now)) ?? run(node, input, now)
    },
    get size() {
      return size
    },
  }
}

/** Many interleavings deliver the same message. */
const texts = new WeakMap<KeyMessage, string>()

function textOf(input: Input): string {
  if (input.kind === 'answer') return `${input.call}:${input.key}`
  const { message, receiveCount, sentTimestamp } = input
  const text = texts.get(message) ?? JSON.stringify(message)
  texts.set(message, text)
  return `${text} ${receiveCount} ${sentTimestamp}`
}

const timed = (input: Input, now: number): string => `${textOf(input)} at ${now}`

/** One real reconciler that stops at every call until it is answered. */
class LiveProcess {
  readonly #reconcile: Reconcile
  readonly #waiting = new Map<number, { call: Call; answer: PromiseWithResolvers<unknown> }>()
  readonly #messages: ('running' | 'done' | 'failed')[] = []
  #calls = 0
  #now = 0
  #sawClock = false
  #fault: unknown

  constructor(settings: Settings) {
    const clients = new Map<string, ReturnType<typeof createAskingClient>>()
    this.#reconcile = createReconciler({
      clientOf: (cluster) => {
        const client = clients.get(cluster) ?? createAskingClient(cluster, (call) => this.#ask(call))
        clients.set(cluster, client)
        return client
      },
      settings,
      logger: SILENT_LOG,
      clock: {
        now: () => {
          this.#sawClock = true
          return this.#now
        },
        pause: async () => void (await this.#ask({ verb: 'pause' })),
      },
    })
  }

  async feed(input: Input, now: number): Promise<Omit<ProcessState, 'id'> & { sawClock: boolean }> {
    this.#now = now
    this.#sawClock = false
    if (input.kind === 'message') this.#receive(input)
    else this.#answer(input)
    // A macrotask comes after every microtask: by then each run waits for a call or is over.
    await macrotask()
    if (this.#fault !== undefined) throw this.#fault
    return {
      calls: [...this.#waiting].map(([id, { call }]) => ({ id, call })),
      messages: [...this.#messages],
      sawClock: this.#sawClock,
    }
  }

  #receive({ message, ...context }: Input & { kind: 'message' }): void {
    const index = this.#messages.push('running') - 1
    const { signal } = new AbortController()
    this.#reconcile({ ...message, messageIds: [] }, { ...context, signal }).then(
      () => this.#settle(index, 'done'),
      (error: unknown) => {
        if (error instanceof UnsimulatedCallError) this.#fault = error
        this.#settle(index, 'failed')
      },
    )
  }

  #settle(index: number, outcome: 'done' | 'failed'): void {
    this.#messages[index] = outcome
  }

  #ask(call: Call): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>()
    this.#waiting.set(this.#calls++, { call, answer })
    return answer.promise
  }

  #answer({ call, value, error }: Input & { kind: 'answer' }): void {
    const waiting = this.#waiting.get(call)
    this.#waiting.delete(call)
    if (error === undefined) waiting?.answer.resolve(value)
    else waiting?.answer.reject(error)
  }
}

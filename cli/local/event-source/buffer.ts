import type { Message } from '@aws-sdk/client-sqs'
import { messageGroupId } from '../../../shared/queue/index.ts'
import { parseJson, recordOf } from '../../../shared/values/index.ts'

export interface MessageBufferOptions {
  /** Messages a batch at most. */
  readonly batchSize: number
  /** Time from a batch's first message to its end, unless it is full before; 0: it takes what is there. */
  readonly batchWindowMs: number
  /** Batches at once over all clusters, at least 2. */
  readonly maximumConcurrency: number
  /** Messages that it should hold at most. */
  readonly capacity: number
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number
}

export interface Batch {
  readonly messages: readonly Message[]
  readonly groups: readonly string[]
}

interface Held {
  readonly message: Message
  readonly since: number
}

interface Group {
  readonly name: string
  /** Messages by id, oldest first. */
  readonly waiting: Map<string, Held>
  running: number
}

/**
 * Received messages that wait for a batch, in line by cluster:
 *
 * 1. Clusters of which nothing runs come first. They share a batch, one message of each in turn.
 * 2. Otherwise a batch is of one cluster, the one in the fewest batches that run, so that none waits for the
 *    slow keys of another one with its own quick ones.
 * 3. No cluster is in more than `maximumConcurrency` - 1 batches, once messages of a second cluster have
 *    come.
 *
 * So a single cluster never delays the messages of others, regardless of their number and duration. Several
 * slow ones can, for the remaining time of one batch.
 */
export class MessageBuffer {
  readonly #options: MessageBufferOptions
  readonly #now: () => number
  /** Those that were served last come last. */
  readonly #groups = new Map<string, Group>()
  #size = 0
  #firstName: string | undefined
  #isShared = false
  #windowMs: number

  constructor(options: MessageBufferOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#windowMs = options.batchWindowMs
  }

  /** Adds messages. A message that is held already stays in its place, with its newest receipt handle. */
  add(messages: readonly Message[]): void {
    for (const message of messages) {
      const { waiting } = this.#groupNamed(groupOf(message))
      const id = message.MessageId ?? ''
      const since = waiting.get(id)?.since ?? this.#now()
      if (!waiting.has(id)) this.#size++
      waiting.set(id, { message, since })
    }
  }

  #groupNamed(name: string): Group {
    this.#firstName ??= name
    if (name !== this.#firstName) this.#isShared = true
    const group = this.#groups.get(name) ?? { name, waiting: new Map(), running: 0 }
    this.#groups.set(name, group)
    return group
  }

  /** Takes the next batch, or returns undefined if none is due. It runs until {@link done}. */
  take(): Batch | undefined {
    const due = this.#candidates().find((some) => this.#untilDueMs(some) === 0)
    if (due === undefined) return undefined
    const { batchSize } = this.#options
    const served = due.slice(0, batchSize)
    const messages = gather(served, batchSize)
    this.#size -= messages.length
    for (const group of served) {
      group.running++
      this.#groups.delete(group.name)
      this.#groups.set(group.name, group)
    }
    return { messages, groups: served.map(({ name }) => name) }
  }

  done(batch: Batch): void {
    for (const name of batch.groups) {
      const group = this.#groups.get(name)
      if (group === undefined) continue
      group.running--
      this.#dropIfEmpty(group)
    }
  }

  /** Returns in how many milliseconds a batch is due; undefined if a running batch or a message decides. */
  dueInMs(): number | undefined {
    const times = this.#candidates().map((some) => this.#untilDueMs(some))
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Finds groups whose messages may be in one batch. */
  #candidates(): readonly (readonly Group[])[] {
    const most = this.#options.maximumConcurrency - (this.#isShared ? 1 : 0)
    const waiting = this.#groups.values().filter((group) => group.waiting.size > 0 && group.running < most)
    const { idle = [], busy = [] } = Object.groupBy(waiting, ({ running }) =>
      running === 0 ? 'idle' : 'busy',
    )
    const alone = busy.sort((one, other) => one.running - other.running).map((group) => [group])
    return idle.length > 0 ? [idle, ...alone] : alone
  }

  #untilDueMs(some: readonly Group[]): number {
    const waiting = some.reduce((sum, group) => sum + group.waiting.size, 0)
    if (waiting >= this.#options.batchSize) return 0
    const oldest = Math.min(...some.map((group) => oldestOf(group)))
    return Math.max(0, oldest + this.#windowMs - this.#now())
  }

  /** Makes every message due from now on. */
  closeWindows(): void {
    this.#windowMs = 0
  }

  /** Takes out surplus messages that are `isTakable`: the newest of the cluster with the most. */
  takeSurplus(isTakable: (message: Message) => boolean): readonly Message[] {
    const [largest] = [...this.#groups.values()].sort((one, other) => other.waiting.size - one.waiting.size)
    const surplus = this.#size - this.#options.capacity
    if (largest === undefined || surplus <= 0) return []
    const taken = messagesOf([largest]).filter(isTakable).slice(-surplus)
    for (const { MessageId = '' } of taken) largest.waiting.delete(MessageId)
    this.#size -= taken.length
    this.#dropIfEmpty(largest)
    return taken
  }

  takeAll(): readonly Message[] {
    const all = this.messages()
    for (const group of this.#groups.values()) {
      group.waiting.clear()
      this.#dropIfEmpty(group)
    }
    this.#size = 0
    return all
  }

  #dropIfEmpty({ name, waiting, running }: Group): void {
    if (waiting.size + running === 0) this.#groups.delete(name)
  }

  /** It holds more than it should. */
  get isFull(): boolean {
    return this.#size > this.#options.capacity
  }

  messages(): readonly Message[] {
    return messagesOf(this.#groups.values())
  }
}

/** Removes messages round-robin, at most `most`. */
function gather(some: readonly Group[], most: number): Message[] {
  const messages: Message[] = []
  while (messages.length < most) {
    const before = messages.length
    for (const { waiting } of some) {
      const [first] = waiting
      if (first === undefined || messages.length === most) continue
      messages.push(first[1].message)
      waiting.delete(first[0])
    }
    if (messages.length === before) break
  }
  return messages
}

function oldestOf({ waiting }: Group): number {
  const [first] = waiting.values()
  return first?.since ?? Number.POSITIVE_INFINITY
}

const messagesOf = (groups: Iterable<Group>): Message[] =>
  [...groups].flatMap(({ waiting }) => [...waiting.values()].map(({ message }) => message))

/** Group of messages that name no cluster: their senders share one place in line. */
const NO_CLUSTER = ''

/**
 * Returns the message group of a message, which is that of the cluster that changed, as the server says, or
 * else as the body does. The body is checked once a function reads it.
 * A sender to the queue chooses it, and so take the places of as many clusters as they name.
 */
export function groupOf({ Attributes, Body = '' }: Message): string {
  const group = Attributes?.MessageGroupId
  if (group !== undefined) return group
  const { cluster } = recordOf(parseJson(Body))
  return typeof cluster === 'string' ? messageGroupId({ cluster }) : NO_CLUSTER
}

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
export interface MessageBuffer {
  /** Adds messages. A message that is held already stays in its place, with its newest receipt handle. */
  add(messages: readonly Message[]): void
  /** Takes the next batch, or returns undefined if none is due. It runs until {@link done}. */
  take(): Batch | undefined
  done(batch: Batch): void
  /** Returns in how many milliseconds a batch is due; undefined if a running batch or a message decides. */
  dueInMs(): number | undefined
  /** Makes every message due from now on. */
  closeWindows(): void
  /** Takes out surplus messages that are `isTakable`: the newest of the cluster with the most. */
  takeSurplus(isTakable: (message: Message) => boolean): readonly Message[]
  takeAll(): readonly Message[]
  /** It holds more than it should. */
  readonly isFull: boolean
  messages(): readonly Message[]
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

export function createMessageBuffer({
  batchSize,
  batchWindowMs,
  maximumConcurrency,
  capacity,
  now = () => performance.now(),
}: MessageBufferOptions): MessageBuffer {
  // Those that were served last come last.
  const groups = new Map<string, Group>()
  let size = 0
  let firstName: string | undefined
  let isShared = false
  let windowMs = batchWindowMs

  function groupNamed(name: string): Group {
    firstName ??= name
    if (name !== firstName) isShared = true
    const group = groups.get(name) ?? { name, waiting: new Map(), running: 0 }
    groups.set(name, group)
    return group
  }

  const candidates = (): readonly (readonly Group[])[] =>
    candidatesIn(groups, isShared ? maximumConcurrency - 1 : maximumConcurrency)

  function untilDueMs(some: readonly Group[]): number {
    const waiting = some.reduce((sum, group) => sum + group.waiting.size, 0)
    if (waiting >= batchSize) return 0
    const oldest = Math.min(...some.map((group) => oldestOf(group)))
    return Math.max(0, oldest + windowMs - now())
  }

  return {
    add(messages) {
      for (const message of messages) {
        const { waiting } = groupNamed(groupOf(message))
        const id = message.MessageId ?? ''
        const since = waiting.get(id)?.since ?? now()
        if (!waiting.has(id)) size++
        waiting.set(id, { message, since })
      }
    },
    take() {
      const due = candidates().find((some) => untilDueMs(some) === 0)
      if (due === undefined) return undefined
      const served = due.slice(0, batchSize)
      const messages = gather(served, batchSize)
      size -= messages.length
      for (const group of served) {
        group.running++
        groups.delete(group.name)
        groups.set(group.name, group)
      }
      return { messages, groups: served.map(({ name }) => name) }
    },
    done(batch) {
      for (const name of batch.groups) {
        const group = groups.get(name)
        if (group === undefined) continue
        group.running--
        dropIfEmpty(groups, group)
      }
    },
    dueInMs() {
      const times = candidates().map(untilDueMs)
      return times.length === 0 ? undefined : Math.min(...times)
    },
    closeWindows() {
      windowMs = 0
    },
    takeSurplus(isTakable) {
      const largest = largestIn(groups)
      if (largest === undefined || size <= capacity) return []
      const takable = messagesOf([largest]).filter(isTakable)
      const surplus = takable.slice(-(size - capacity))
      for (const { MessageId = '' } of surplus) largest.waiting.delete(MessageId)
      size -= surplus.length
      dropIfEmpty(groups, largest)
      return surplus
    },
    takeAll() {
      const all = messagesOf(groups.values())
      for (const group of [...groups.values()]) {
        group.waiting.clear()
        dropIfEmpty(groups, group)
      }
      size = 0
      return all
    },
    get isFull() {
      return size > capacity
    },
    messages: () => messagesOf(groups.values()),
  }
}

/** Finds groups whose messages may be in one batch, each in fewer than `most` running batches. */
function candidatesIn(groups: ReadonlyMap<string, Group>, most: number): readonly (readonly Group[])[] {
  const waiting = [...groups.values()].filter((group) => group.waiting.size > 0 && group.running < most)
  const { idle = [], busy = [] } = Object.groupBy(waiting, ({ running }) => (running === 0 ? 'idle' : 'busy'))
  const alone = busy.toSorted((one, other) => one.running - other.running).map((group) => [group])
  return idle.length > 0 ? [idle, ...alone] : alone
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

function largestIn(groups: ReadonlyMap<string, Group>): Group | undefined {
  const [largest] = [...groups.values()].toSorted((one, other) => other.waiting.size - one.waiting.size)
  return largest
}

function dropIfEmpty(groups: Map<string, Group>, { name, waiting, running }: Group): void {
  if (waiting.size + running === 0) groups.delete(name)
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

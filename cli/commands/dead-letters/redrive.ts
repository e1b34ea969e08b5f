import { sleepUnlessAborted, TokenBucket } from '../../../shared/kubernetes/index.ts'
import {
  createQueueSender,
  type KeyMessage,
  type QueueClient,
  type QueueSender,
  queueUrlOf,
} from '../../../shared/queue/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'
import { type DeadLetterQueue, onlyLaneOf } from './dead-letter-queues.ts'
import type { QueuedLetter, Scan } from './scan.ts'

interface RedriveOptions {
  /** Letters a second. */
  readonly rate: number
  /** Queue for all of them; default: the lane that each came from. */
  readonly to?: { readonly client: QueueClient; readonly queueUrl: string }
  readonly logger: Log
  readonly signal: AbortSignal
}

/** Result of redriving letters; those that could not be redriven are still there. */
export interface RedriveResult {
  readonly redriven: number
  /** Their bodies are no messages: a lane would only send them back. Drop them. */
  readonly malformed: number
  /** They are messages of a later version of Sliceflow, which only its command can send. */
  readonly newer: number
  /** Their lane is not recorded, or does not exist. */
  readonly withoutLane: number
  /** The lane did not take them. */
  readonly refused: number
}

export const NONE: RedriveResult = { redriven: 0, malformed: 0, newer: 0, withoutLane: 0, refused: 0 }

type Redrive = (letters: readonly QueuedLetter[], scan: Scan) => Promise<RedriveResult>

/** Milliseconds after which a request counts as failed. */
const SEND_TIMEOUT_MS = 30_000

interface Addressed {
  readonly letter: QueuedLetter
  readonly message: KeyMessage
  readonly sender: QueueSender
}

/**
 * Sends keys back to a lane, and deletes each letter only once the lane has its key: what comes in between
 * makes a duplicate. Letters of messages that it has sent itself stay: a key that fails again would go round
 * for ever.
 */
export function createRedrive({ rate, to, logger, signal }: RedriveOptions): Redrive {
  const sent = new Set<string>()
  const target = to && senderTo(to.client, to.queueUrl)
  const senders = new Map<string, Promise<QueueSender | undefined>>()
  const chunkSize = Math.max(1, Math.min(10, Math.floor(rate)))
  // Without a burst: what follows is spread evenly, and time that was not used is not made up for.
  const bucket = new TokenBucket({ perSecond: rate, burst: 0 })

  function senderTo(client: QueueClient, queueUrl: string): QueueSender {
    function onAccepted(ids: readonly string[]): void {
      for (const id of ids) sent.add(id)
    }
    return createQueueSender({ client, queueUrl, logger, onAccepted })
  }

  async function senderOf({ sourceQueueArn, box }: QueuedLetter): Promise<QueueSender | undefined> {
    const place = sourceQueueArn ?? onlyLaneOf(box)
    if (target !== undefined || place === undefined) return target
    const known = senders.get(place) ?? openSender(place, box)
    senders.set(place, known)
    return known
  }

  async function openSender(
    place: string,
    { client, url }: DeadLetterQueue,
  ): Promise<QueueSender | undefined> {
    try {
      const queueUrl = place.startsWith('arn:') ? await queueUrlOf(client, place, url) : place
      return senderTo(client, queueUrl)
    } catch (err) {
      logger.warn({ err, queue: place }, 'dead letters name a lane that cannot be found')
      return undefined
    }
  }

  async function address(letter: QueuedLetter): Promise<Addressed | 'malformed' | 'newer' | 'withoutLane'> {
    if (letter.message === undefined) return letter.isNewer ? 'newer' : 'malformed'
    const sender = await senderOf(letter)
    return sender === undefined ? 'withoutLane' : { letter, message: letter.message, sender }
  }

  async function send(some: readonly Addressed[], scan: Scan): Promise<number> {
    const accepted: QueuedLetter[] = []
    for (const [sender, group] of Map.groupBy(some, (one) => one.sender)) {
      const messages = group.map(({ message }) => message)
      const taken = new Set((await sender.send(messages, AbortSignal.timeout(SEND_TIMEOUT_MS))).accepted)
      accepted.push(...group.filter(({ message }) => taken.has(message)).map(({ letter }) => letter))
    }
    await scan.delete(accepted)
    return accepted.length
  }

  return async (letters, scan) => {
    const addressed = await Promise.all(letters.filter(({ messageId }) => !sent.has(messageId)).map(address))
    const sendable = addressed.filter((one) => typeof one === 'object')
    let redriven = 0
    let tried = 0
    for (; tried < sendable.length; tried += chunkSize) {
      const chunk = sendable.slice(tried, tried + chunkSize)
      const waitMs = bucket.waitMs(0)
      bucket.take(chunk.length)
      if (!(await sleepUnlessAborted(waitMs, signal))) break
      redriven += await send(chunk, scan)
    }
    const count = (reason: string): number => addressed.filter((one) => one === reason).length
    return {
      redriven,
      malformed: count('malformed'),
      newer: count('newer'),
      withoutLane: count('withoutLane'),
      refused: Math.min(tried, sendable.length) - redriven,
    }
  }
}

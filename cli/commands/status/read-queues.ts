import { createQueueClient, type QueueClient } from '../../../shared/queue/index.ts'
import { SILENT_LOG } from '../../../shared/telemetry/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { addBox, type DeadLetterQueue, onlyLaneOf, openBoxes } from '../dead-letters/dead-letter-queues.ts'
import { scanBox } from '../dead-letters/scan.ts'
import type { KeyQueueName, QueueReport } from './report.ts'

export interface QueueUrls {
  readonly live?: string | undefined
  readonly sweep?: string | undefined
  readonly viewPublisher?: string | undefined
  /** Default: those of the lanes' redrive policies. */
  readonly deadLetters?: string | undefined
}

/** Maximum number of dead letters that are read; their total is reported in any case. */
const LETTERS_READ = 1_000

/** Reads each queue that was named. A queue that cannot be read says so in its report. */
export async function readQueues(
  { live, sweep, viewPublisher, deadLetters }: QueueUrls,
  signal: AbortSignal,
): Promise<QueueReport[]> {
  const lanes = [
    ...(live === undefined ? [] : [{ queue: 'live' as const, url: live }]),
    ...(sweep === undefined ? [] : [{ queue: 'sweep' as const, url: sweep }]),
    ...(viewPublisher === undefined ? [] : [{ queue: 'view-publisher' as const, url: viewPublisher }]),
  ]
  const read = await Promise.all(lanes.map((lane) => guarded(lane, readDepths)))
  const ofLanes = read.filter(({ error }) => error === undefined).map(({ url }) => url)
  const named = deadLetters === undefined ? ofLanes : [deadLetters]
  return [...read, ...(named.length === 0 ? [] : await readLetters(named, { lanes, signal }))]
}

type Named = Pick<QueueReport, 'queue' | 'url' | 'lane'>

interface LaneUrl {
  readonly queue: KeyQueueName
  readonly url: string
}

async function guarded(
  named: Named,
  read: (client: QueueClient, url: string) => Promise<Partial<QueueReport>>,
): Promise<QueueReport> {
  const client = await createQueueClient(named.url)
  try {
    return { ...named, ...(await read(client, named.url)) }
  } catch (error) {
    return { ...named, error: errorMessage(error) }
  } finally {
    client.destroy()
  }
}

async function readDepths(client: QueueClient, url: string): Promise<Partial<QueueReport>> {
  const { Attributes = {} } = await client.getQueueAttributes({ QueueUrl: url, AttributeNames: ['All'] })
  return {
    waiting: Number(Attributes.ApproximateNumberOfMessages ?? 0),
    inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
    delayed: Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0),
  }
}

/** @param urls of dead-letter queues, or of lanes that have one */
async function readLetters(
  urls: readonly string[],
  { lanes, signal }: { readonly lanes: readonly LaneUrl[]; readonly signal: AbortSignal },
): Promise<QueueReport[]> {
  // What cannot be read is in the report.
  const boxes = new Map<string, DeadLetterQueue>()
  const unread: QueueReport[] = []
  for (const url of urls)
    try {
      for (const box of await openBoxes([{ url }], { logger: SILENT_LOG })) addBox(boxes, box)
    } catch (error) {
      unread.push({ queue: 'dead-letters', url, error: errorMessage(error) })
    }
  try {
    const read = await Promise.all(
      [...boxes.values()].map(async (box) => {
        const lane = lanes.find(({ url }) => url === onlyLaneOf(box))?.queue
        const named: Named = { queue: 'dead-letters', url: box.url, lane }
        return guarded(named, async (client, url) => ({
          ...(await readDepths(client, url)),
          ...(await classesOf(box, signal)),
        }))
      }),
    )
    return [...read, ...unread]
  } finally {
    for (const { client } of boxes.values()) client.destroy()
  }
}

async function classesOf(
  box: DeadLetterQueue,
  signal: AbortSignal,
): Promise<Pick<QueueReport, 'classes' | 'oldest'>> {
  const classes: Record<string, number> = {}
  let oldest = Number.POSITIVE_INFINITY
  let read = 0
  const scan = scanBox(box)
  try {
    for await (const letters of scan.letters(signal)) {
      for (const { failureClass, sentTimestamp } of letters) {
        classes[failureClass] = (classes[failureClass] ?? 0) + 1
        oldest = Math.min(oldest, sentTimestamp)
      }
      read += letters.length
      if (read >= LETTERS_READ) break
    }
  } finally {
    await scan.release()
  }
  return { classes, ...(read > 0 && { oldest: new Date(oldest).toISOString() }) }
}

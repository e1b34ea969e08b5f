import type { Gauge, Registry } from 'prom-client'
import { LANES, type Lane } from '../../../shared/queue/index.ts'
import type { Queues } from '../queues.ts'
import { metricsOf } from './metrics-of.ts'

/** Below the time that Prometheus gives a scrape by default, which is 10 s. */
const READ_MS = 5_000

/**
 * Creates metrics of the queues, which are read from their server at each scrape. A queue that does not
 * answer in time has none.
 * @param queues default none, as long as they are not open
 */
export function createQueueMetrics(registry: Registry, queues: () => Queues | undefined): void {
  gauge('sliceflow_queue_messages', 'Messages waiting in the queue of a lane', ({ url }) => url)
  gauge(
    'sliceflow_queue_dead_letters',
    'Messages in the dead-letter queue of a lane',
    ({ deadLetterUrl }) => deadLetterUrl,
  )

  function gauge(
    name: string,
    help: string,
    urlOf: (lane: Queues['lanes'][Lane]) => string | undefined,
  ): void {
    metricsOf(registry).filledGauge(name, help, ['lane'], async (gauge) => {
      const open = queues()
      if (open !== undefined)
        await Promise.all(LANES.map((lane) => read(gauge, open, lane, urlOf(open.lanes[lane]))))
    })
  }
}

async function read(gauge: Gauge, { client }: Queues, lane: Lane, url: string | undefined): Promise<void> {
  if (url === undefined) return
  try {
    const { Attributes } = await client.getQueueAttributes(
      { QueueUrl: url, AttributeNames: ['ApproximateNumberOfMessages'] },
      { abortSignal: AbortSignal.timeout(READ_MS) },
    )
    gauge.set({ lane }, Number(Attributes?.ApproximateNumberOfMessages ?? 0))
  } catch {
    // The function, which reads the same queue, reports the error.
  }
}

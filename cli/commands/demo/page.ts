import { setTimeout as sleep } from 'node:timers/promises'
import type { ConsoleOptions } from '../../console/index.ts'
import { createMetrics, notifyAll, type Queues, type StatusRecord } from '../../local/index.ts'
import type { Narrator } from './narrator.ts'
import { NAMESPACE } from './objects.ts'

interface PageParts extends Pick<ConsoleOptions, 'clusters' | 'settings'> {
  readonly queues: Queues
  readonly record: StatusRecord
}

const MAX_MS = 30_000

/** Opens the console, and tells what has to feed it. Rejects where the port is taken. */
export async function openPage(port: number, { clusters, settings, queues, record }: PageParts) {
  const { createConsole } = await import('../../console/index.ts')
  const names = clusters.map(({ name }) => name)
  const { registry, observer, relay, setQueues } = createMetrics()
  setQueues(queues)
  record.opened(queues.lanes)
  const page = await createConsole({ clusters, settings, registry, status: record.document })
  const url = await page.listen(port)
  return {
    observer: notifyAll(observer, page.observer),
    telemetry: { recorder: page.recorder, metrics: relay },
    /** Prints the URL, and waits until the page is opened, for half a minute at most. */
    async untilOpened(narrator: Narrator): Promise<void> {
      narrator.chapter(`a page shows all of it live: open ${url}#${names[0]}/${NAMESPACE}/web`)
      await Promise.race([page.opened, sleep(MAX_MS)])
    },
    stop: (): Promise<void> => page.stop(),
  }
}

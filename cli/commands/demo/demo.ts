import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createControlPlane } from '../../../shared/control-plane/index.ts'
import { createApiClient, loadClusters } from '../../../shared/kubernetes/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { createLogger } from '../../../shared/telemetry/index.ts'
import {
  createStatusRecord,
  notifyAll,
  openClusters,
  type StatusDocument,
  startEmbeddedQueues,
  startLocal,
} from '../../local/index.ts'
import { untilTerminated } from '../../signals.ts'
import { counted, durationText, terminalOf } from '../../terminal/index.ts'
import type { DemoFlags } from './command.ts'
import { createFigures, type Figures } from './figures.ts'
import { createNarrator, type Narrator } from './narrator.ts'
import { NAMESPACE } from './objects.ts'
import { openPage } from './page.ts'
import { Scene } from './scene.ts'
import { showStory } from './story.ts'

const GRACE_MS = 5_000

/**
 * Shows the whole path on embedded parts: an API server, a queue, relay and function in this process.
 * @throws Error with the differences if the slices are not what an independent computation says
 */
export async function runDemo({ keep, console: port }: DemoFlags): Promise<void> {
  const write = (text: string): void => void process.stdout.write(text)
  const narrator = createNarrator(write, terminalOf(process.stdout))
  const settings = parseSettings({})
  await using ending = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-demo-'))
  ending.defer(() => rm(folder, { recursive: true, force: true }))
  const controlPlane = await createControlPlane()
  ending.defer(() => controlPlane.close())
  const { url } = await controlPlane.listen()
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, controlPlane.kubeconfig, { mode: 0o600 })
  narrator.chapter(`an API server is up at ${url}`)

  const clusters = await loadClusters(kubeconfig)
  const queues = await startEmbeddedQueues(settings)
  ending.defer(() => queues.stop())
  const record = createStatusRecord(clusters.map(({ name }) => name))
  const parts = { clusters, settings, queues, record }
  const page = port === undefined ? undefined : await openPage(port, parts)
  ending.defer(() => page?.stop())
  const figures = createFigures()
  const logger = createLogger({ format: 'text', level: 'error' })
  const observer = notifyAll(figures.observer, record.observer, page?.observer ?? {})
  const local = await startLocal({
    clusters: openClusters(clusters, { settings, logger }),
    ...{ queues, settings, observer },
    telemetry: { logger, ...page?.telemetry },
  })
  ending.defer(() => local.stop(GRACE_MS))
  await local.synced
  narrator.line('a relay watches it; keys go through an embedded SQS to the function that writes slices')
  await page?.untilOpened(narrator)

  for (const connection of clusters) {
    const client = createApiClient(connection)
    ending.defer(() => client.close())
    const scene = new Scene(client, settings)
    await scene.prepare()
    await showStory({ scene, figures, narrator })
  }
  showFigures(figures, record.document(), narrator)
  if (!keep && port === undefined) return
  write(whatToTry(kubeconfig))
  await untilTerminated()
}

function showFigures({ totals }: Figures, { clusters: [cluster] }: StatusDocument, narrator: Narrator): void {
  const { events, keys, batches, reconciles, writes } = totals
  const { p50 = 0, p99 = 0 } = cluster?.lag ?? {}
  narrator.chapter('the figures')
  narrator.line(
    [
      counted(events, 'event'),
      counted(keys, 'key'),
      counted(batches, 'batch'),
      counted(reconciles, 'reconcile'),
      counted(writes, 'write'),
    ].join(' → '),
  )
  narrator.line(
    `from an event to the slices written: p50 ${durationText(p50 * 1_000)}, p99 ${durationText(p99 * 1_000)}`,
  )
  narrator.line('the slices were compared with an independent computation after every chapter: no difference')
}

const whatToTry = (kubeconfig: string): string => `
Left running until Ctrl-C. Try in another terminal:
  export KUBECONFIG=${kubeconfig}
  kubectl -n ${NAMESPACE} get services,pods,endpointslices
  kubectl -n ${NAMESPACE} label pod web-d41e-2 app=canary --overwrite
  kubectl -n ${NAMESPACE} get endpointslices -w
  kubectl -n ${NAMESPACE} delete endpointslice --all     # they come back
`

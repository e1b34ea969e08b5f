import { loadClusters } from '../../../shared/kubernetes/index.ts'
import { combineRecorders, type Recorder } from '../../../shared/recording/index.ts'
import { contentSettings, type Settings } from '../../../shared/settings/index.ts'
import { createLogger, type Log } from '../../../shared/telemetry/index.ts'
import { openTracing } from '../../../shared/tracing/index.ts'
import { writeRunFile } from '../../deployment/run-file.ts'
import {
  createMetrics,
  createStatusRecord,
  notifyAll,
  type OpenClusters,
  openClusters,
  openQueues,
  type Queues,
  startEmbeddedQueues,
  startLocal,
  startShadowTotal,
  syncedWithinMs,
  untilReady,
} from '../../local/index.ts'
import { createOperatorCommands } from '../../operator-tasks/index.ts'
import { type Flags, type FlagValues, groupFlags } from '../../options/flags.ts'
import { clusterSetsOfFlags, clusterSetsSetting, loneSets } from '../../options/fleet.ts'
import { namedKubeconfigs } from '../../options/kubeconfig.ts'
import { settingsOf } from '../../options/settings.ts'
import { untilTerminated } from '../../signals.ts'
import { counted } from '../../terminal/index.ts'
import { UsageError } from '../../usage.ts'
import { GROUPS } from './command.ts'
import { openConsole } from './console.ts'
import { openRecording } from './recording.ts'
import { assertMetricsFlags, serveMetrics } from './serve-metrics.ts'

type QueueFlags = FlagValues<typeof GROUPS.queues>

/** Time for the end: below the 10 s that are promised. */
const GRACE_MS = 7_000

/** Runs until SIGTERM or SIGINT, and then ends the process with code 0. */
export async function run(flags: Flags): Promise<void> {
  // As process 1 of a container it would not even get signals that it has no handler for.
  const terminated = untilTerminated()
  if (flags.preflight === true) {
    const { assertPreflight } = await import('../preflight/run.ts')
    const checked = endBeforeStart(terminated)
    await assertPreflight(flags)
    checked()
  }
  await runClusters(flags, terminated)
}

async function runClusters(flags: Flags, terminated: Promise<NodeJS.Signals>): Promise<void> {
  const groups = groupFlags(flags, GROUPS)
  const { clusters: given, fleet, shown } = groups
  const settings = settingsOf(recordingFlags(flags))
  checkQueues(groups.queues, settings.stateDir)
  assertMetricsFlags(groups.metrics)
  const { logLevel: level } = settings
  const logger = createLogger({ format: shown.logFormat, level })
  const clusters = await loadClusters(given.kubeconfig, given.context)
  const names = clusters.map(({ name }) => name)
  const sets = clusterSetsOfFlags(fleet, settings.clusterSets, names)
  for (const warning of loneSets(sets)) logger.warn({}, warning)
  const clusterSets = clusterSetsSetting(fleet, settings.clusterSets, names)
  const content = contentSettings({ ...settings, clusterSets })
  const maxAgeMs = syncedWithinMs(settings.auditInterval)
  const status = createStatusRecord(names, Date.now, content, maxAgeMs)
  const opened = openClusters(clusters, { settings, logger, onRefused: status.refused })
  const started = endBeforeStart(terminated, opened)
  const metrics = createMetrics(status.document, maxAgeMs)
  const recording = await openRecording(shown.record, {
    settings,
    logger,
    onLost: metrics.lostRecords,
  })
  const { registry } = metrics
  let url: string | undefined
  const kubeconfig = namedKubeconfigs(given.kubeconfig)
  const commands = createOperatorCommands({
    settings,
    sets,
    relay: () => url,
    kubeconfig,
  })
  const sources = { clusters, settings, registry, status: status.document, commands }
  const page = await openConsole(shown.console, sources)
  url = await serveMetrics(metrics, groups.metrics, logger)
  await refuseSameClusters(opened)
  const tracing = await openTracing({ settings, service: 'sliceflow', logger })
  const queues = await startQueues(groups.queues, settings, logger)
  metrics.setQueues(queues)
  status.opened(queues.lanes)
  const { lanes = [] } = status.document()
  if (settings.stateDir !== '') await writeRunFile(settings.stateDir, { url, lanes })
  const local = await startLocal({
    clusters: opened,
    queues,
    settings,
    sets,
    telemetry: {
      logger,
      recorder: recorderOf(recording?.recorder, page?.recorder),
      tracing,
      metrics: metrics.relay,
    },
    observer: notifyAll(metrics.observer, status.observer, page?.observer ?? {}),
  })
  started()
  metrics.setHealth(() => local.health())
  status.reachedBy(local)
  const following = local.followed.join(', ')
  logger.info(
    { mode: settings.mode, managedBy: settings.managedBy, clusters: following },
    settings.shadow
      ? 'started in shadow mode, which writes nothing; waiting for the clusters'
      : 'started; waiting for the clusters',
  )
  const stopTotal = settings.shadow ? startShadowTotal({ status: status.document, logger }) : () => undefined
  const ending = new AbortController()
  void untilReady(local, ending.signal).then(
    (missing) => void process.stdout.write(readyLine(local.followed, missing)),
  )
  const signal = await terminated
  ending.abort()
  stopTotal()
  logger.info({ signal }, 'shutting down: sending waiting keys and finishing running batches')
  await local.stop(GRACE_MS)
  await recording?.close()
  await tracing?.stop()
  await metrics.stop()
  await page?.stop()
  await stopQueues(queues, logger)
  // Calls to a cluster that hangs would keep the process for their whole timeout.
  process.exit(0)
}

/**
 * Ends the process on a signal: nothing was received yet, and what the start waits for may not answer for
 * long.
 * @returns is called once a signal has to wait for running work
 */
function endBeforeStart(terminated: Promise<unknown>, opened?: OpenClusters): () => void {
  let isStarted = false
  void terminated.then(() => {
    if (isStarted) return
    opened?.close()
    process.exit(0)
  })
  return () => {
    isStarted = true
  }
}

/** Time for clusters to say who they are before the start, in milliseconds. */
const COMPARE_MS = 5_000

/** @throws UsageError where two contexts lead to one cluster */
async function refuseSameClusters({ identities }: OpenClusters): Promise<void> {
  const [same] = await identities.compare(COMPARE_MS)
  if (same === undefined) return
  throw new UsageError(
    `--context: ${same.message}: give --context ${same.other} alone, or have "${same.cluster}" lead elsewhere; of several kubeconfigs the first one that has a name for a cluster or a user counts, so that names such as "default" must differ`,
  )
}

/** @param missing those that cannot be reached: they are tried until they can */
function readyLine(followed: readonly string[], missing: readonly string[]): string {
  const there = followed.filter((cluster) => !missing.includes(cluster))
  const without = missing.length === 0 ? '' : `; missing, and tried again: ${missing.join(', ')}`
  return `ready: following ${counted(there.length, 'cluster')}: ${there.join(', ')}${without}\n`
}

/** Combines recorders. Returns undefined without any, as recording costs time. */
function recorderOf(...wanted: readonly (Recorder | undefined)[]): Recorder | undefined {
  const recorders = wanted.filter((one) => one !== undefined)
  return recorders.length > 1 ? combineRecorders(...recorders) : recorders[0]
}

async function startQueues(
  { queue, sweepQueue }: QueueFlags,
  settings: Settings,
  logger: Log,
): Promise<Queues> {
  const urls = { live: queue, sweep: sweepQueue }
  const queues = await (queue === 'embedded' ? startEmbeddedQueues(settings) : openQueues(urls, logger))
  const { live, sweep } = queues.lanes
  const deadLetters = [...new Set([live, sweep].flatMap(({ deadLetterUrl = [] }) => deadLetterUrl))]
  logger.info({ live: live.url, sweep: sweep.url, deadLetters }, 'opened the queues')
  return queues
}

async function stopQueues(queues: Queues, logger: Log): Promise<void> {
  await queues.stop().catch((err: unknown) => logger.warn({ err }, 'failed to shut down the queue'))
}

/** @throws UsageError */
function checkQueues({ queue, sweepQueue }: QueueFlags, stateDir: string): void {
  if (queue !== 'embedded') return
  if (sweepQueue !== undefined)
    throw new UsageError('--sweep-queue needs --queue: the embedded queue has a sweep lane of its own')
  if (stateDir !== '')
    throw new UsageError(
      '--state-dir: the embedded queue loses its messages when the process ends; name a --queue, or leave --state-dir out',
    )
}

/** Turns recording on if a file to record to is named, so that --recording need not say it again. */
const recordingFlags = (flags: Flags): Flags =>
  flags.record === undefined ? flags : { ...flags, recording: flags.recording ?? 'on' }

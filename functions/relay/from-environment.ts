import { hostname } from 'node:os'
import { Registry } from 'prom-client'
import {
  type Aws,
  createAws,
  createClusterClients,
  createClusterDirectory,
  withBudget,
} from '../../shared/clusters/index.ts'
import { untilAborted } from '../../shared/kubernetes/index.ts'
import type { Lane, QueueSender } from '../../shared/queue/index.ts'
import { createEmfMetrics, createRegistryEmf, createRelayMetrics } from '../../shared/telemetry/index.ts'
import { openTracing } from '../../shared/tracing/index.ts'
import {
  type Environment,
  openDeployedLog,
  openDeployedQueues,
  openDeployedRecording,
  readClusters,
  readPort,
  readQueueUrl,
  readSettings,
  VARIABLES,
} from '../environment/index.ts'
import { followFoundClusters } from './follow-found-clusters.ts'
import { createHealthServer } from './health-server.ts'
import { startRelay } from './relay.ts'

export interface DeployedRelayOptions {
  readonly environment: Environment
  /** Default: AWS itself. */
  readonly aws?: Aws
  readonly write?: (line: string) => void
  /** Interval of searches for clusters by their tag; default 5 minutes. */
  readonly searchIntervalMs?: number
}

/** The relay as it is deployed. */
export interface DeployedRelay {
  /** Port of the health server. */
  readonly port: number
  /**
   * Ends the watches, sends what waits, and resolves to the number of keys that could not be sent within the
   * time.
   */
  stop(graceMs: number): Promise<number>
}

/**
 * Once a minute, so that the sum of a minute is the number of relays that run; an alarm of infra/ counts
 * them.
 */
export const RELAY_UP = 'RelayUp'
/** Begins the names of a standby's metrics: the others are of those that send. */
export const STANDBY_PREFIX = 'Standby'
/** CloudWatch keeps one value a minute. */
const EMF_INTERVAL_MS = 60_000
const SEARCH_INTERVAL_MS = 5 * 60_000
/**
 * Objects of a minute are large enough, and what a relay that is killed has not stored is no more than that.
 */
const RECORDING_INTERVAL_MS = 60_000
/** Time to store them, in milliseconds. */
const STORE_MS = 10_000
/**
 * Watches the clusters of its environment and sends keys to both lanes. Where clusters are found by a tag it
 * takes up and leaves those that came or went, one by one: the watches of the others go on.
 * @throws EnvironmentError naming what is missing or wrong
 */
export async function startDeployedRelay({
  environment,
  aws = createAws(),
  write,
  searchIntervalMs = SEARCH_INTERVAL_MS,
}: DeployedRelayOptions): Promise<DeployedRelay> {
  const logger = openDeployedLog(environment, { write })
  const settings = readSettings(environment, logger)
  const directory = createClusterDirectory({ clusters: readClusters(environment), aws, logger })
  const clusters = createClusterClients(directory, logger, withBudget(settings.apiCallsPerSecond))
  const queues = openDeployedQueues(logger)
  const registry = new Registry()
  const metrics = createRelayMetrics(registry)
  const sender = (lane: Lane): QueueSender =>
    queues.sender(readQueueUrl(environment, lane), {
      onProblem: () => metrics.count('send_errors', { lane }),
    })
  const senders = { live: sender('live'), sweep: sender('sweep') }
  const discoverUrl = environment[VARIABLES.discover.queue]
  const discover = discoverUrl === undefined ? undefined : queues.sender(discoverUrl)
  const emfMetrics = createEmfMetrics({ ...(write && { write }) })
  const prefix = settings.relayStandby ? STANDBY_PREFIX : ''
  // Of a standby the sums over all clusters will do.
  const dimensions = settings.relayStandby ? { dimensions: [] } : {}
  const emf = createRegistryEmf({ registry, metrics: emfMetrics, prefix, ...dimensions })

  const recording = openDeployedRecording({
    environment,
    settings,
    worker: hostname(),
    logger,
    onLost: (records) => emfMetrics.count(`${prefix}LostRecords`, records),
  })
  const recorder = recording?.recorder
  const tracing = await openTracing({ settings, service: 'sliceflow-relay', logger })
  const clients = await clusters.refresh()
  const told = { logger, recorder, tracing, metrics }
  const relay = startRelay({ clients, settings, senders, discover, unfollowed, ...told })
  const health = createHealthServer({ registry, health: () => relay.health() })
  const port = await health.listen(readPort(environment))
  const emfTimer = setInterval(writeMetrics, EMF_INTERVAL_MS)
  const recordingTimer = setInterval(() => void storeRecording(), RECORDING_INTERVAL_MS)
  const ending = new AbortController()
  logger.info({ clusters: followed() }, 'started; waiting for the clusters')
  void relay.synced.then(() => logger.info({ clusters: followed() }, 'ready: following every cluster'))
  const searching = directory.isDiscovering
    ? followFoundClusters({ clusters, relay, logger, intervalMs: searchIntervalMs, signal: ending.signal })
    : undefined

  function writeMetrics(): void {
    emfMetrics.count(prefix + RELAY_UP)
    void emf.write()
  }

  async function storeRecording(): Promise<void> {
    await recording?.flush(AbortSignal.timeout(STORE_MS))
  }

  function followed(): string {
    return relay.clusters.join(', ')
  }

  function unfollowed(): readonly string[] {
    return clusters.problems().ambiguous
  }

  return {
    port,
    async stop(graceMs) {
      clearInterval(emfTimer)
      clearInterval(recordingTimer)
      ending.abort()
      const grace = AbortSignal.timeout(graceMs)
      await Promise.race([searching, untilAborted(grace)])
      const unsent = await relay.stop(grace)
      await storeRecording()
      await tracing?.stop()
      clusters.close()
      await health.stop()
      await emf.write()
      logger.info({ unsent }, 'ended; the next start sends what is unsent, and what changes until then')
      return unsent
    },
  }
}

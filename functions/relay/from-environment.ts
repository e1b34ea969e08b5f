import { hostname } from 'node:os'
import { Registry } from 'prom-client'
import type { ClusterSet } from '../../shared/cluster-sets/index.ts'
import {
  type ClusterConfig,
  createAws,
  createClusterClients,
  createClusterDirectory,
  createClusterIdentities,
  type SameClusterError,
  withBudget,
} from '../../shared/clusters/index.ts'
import { untilAborted } from '../../shared/kubernetes/index.ts'
import type { Lane, QueueSender } from '../../shared/queue/index.ts'
import { NO_CLUSTER_SETS, type Settings } from '../../shared/settings/index.ts'
import { createRegistryEmf, createRelayMetrics, type RelayMetrics } from '../../shared/telemetry/index.ts'
import { openTracing } from '../../shared/tracing/index.ts'
import {
  type DeployedOptions,
  type Environment,
  EnvironmentError,
  openClusterSets,
  openDeployedLog,
  openDeployedMetrics,
  openDeployedQueues,
  openDeployedRecording,
  readClusters,
  readPort,
  readQueueUrl,
  readSettings,
  readViewPublisherQueue,
  VARIABLES,
} from '../environment/index.ts'
import type { FleetRelays, FleetRelaysOptions } from './fleet/index.ts'
import { followFoundClusters } from './follow-found-clusters.ts'
import { type RelayHealth, worstOf } from './health/health.ts'
import { createHealthServer } from './health/health-server.ts'
import { NAMED_FROM, RELAY_UP, STANDBY_PREFIX } from './metric-names.ts'
import { type Relay, type RelayOptions, startRelay } from './relay.ts'

interface DeployedRelayOptions extends DeployedOptions {
  /** Interval of searches for clusters by their tag; default 5 minutes. */
  readonly searchIntervalMs?: number
}

export interface DeployedRelay {
  readonly port: number
  /** Ends the watches, sends what waits, and resolves to the number of keys not sent within the time. */
  stop(graceMs: number): Promise<number>
}

/** CloudWatch stores one value per minute. */
const EMF_INTERVAL_MS = 60_000
const SEARCH_INTERVAL_MS = 5 * 60_000
/** Objects of a minute are large enough; no more is lost if a relay is killed. */
const RECORDING_INTERVAL_MS = 60_000
/** Time to store them, in milliseconds. */
const STORE_MS = 10_000
/** Gives the relays of cluster sets the clusters that the relay of Services watches. */
const withSets = (
  relay: Relay,
  fleet: FleetRelays | undefined,
  sets: () => readonly ClusterSet[],
): Pick<Relay, 'clusters' | 'follow'> => ({
  get clusters() {
    return relay.clusters
  },
  async follow(clients, signal) {
    await Promise.all([relay.follow(clients, signal), fleet?.follow(sets(), clients, signal)])
  },
})

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
  const configs = readClusters(environment)
  const directory = createClusterDirectory({ clusters: configs, aws, logger })
  const { admit, compare, of: identityOf } = createClusterIdentities({ logger })
  const clusters = createClusterClients(directory, logger, withBudget(settings.apiCallsPerSecond), admit)
  const sets = openClusterSets({ settings, clusters: configs, clients: clusters })
  const registry = new Registry()
  const metrics = createRelayMetrics(registry)
  const { senders, viewPublisher } = openSenders(environment, openDeployedQueues(logger), metrics)
  const emfMetrics = openDeployedMetrics(environment, { write })
  const prefix = prefixOf(settings, environment)
  // Of a standby the sums over all clusters will do, but for what is wrong.
  const folded = settings.relayStandby ? { maximumValues: 0 } : {}
  const emf = createRegistryEmf({ registry, metrics: emfMetrics, prefix, named: NAMED_FROM, ...folded })

  const recording = await openDeployedRecording({
    environment,
    settings,
    worker: hostname(),
    logger,
    onLost: (records) => emfMetrics.count(`${prefix}LostRecords`, records),
  })
  const tracing = await openTracing({ settings, service: 'sliceflow-relay', logger })
  const clients = await clusters.refresh()
  refuseListedTwice(await compare(COMPARE_MS), configs)
  const telemetry = { logger, recorder: recording?.recorder, tracing, metrics }
  const common = { clients, settings, senders, telemetry }
  const relay = startRelay({ ...common, viewPublisher, unfollowed, identityOf })
  const fleet = await startFleet({ ...common, sets: sets() })
  const healthServer = createHealthServer({ registry, health })
  const port = await healthServer.listen(readPort(environment))
  const emfTimer = setInterval(writeMetrics, EMF_INTERVAL_MS)
  const recordingTimer = setInterval(() => void storeRecording(), RECORDING_INTERVAL_MS)
  const ending = new AbortController()
  logger.info({ clusters: followed() }, 'started; waiting for the clusters')
  void Promise.all([relay.synced, fleet?.synced]).then(() =>
    logger.info({ clusters: followed() }, 'ready: following every cluster'),
  )
  const searching = directory.isDiscovering
    ? followFoundClusters({
        ...{ clusters, logger, intervalMs: searchIntervalMs, signal: ending.signal },
        relay: withSets(relay, fleet, sets),
      })
    : undefined

  function writeMetrics(): void {
    emfMetrics.count(prefix + RELAY_UP)
    void emf.write()
  }

  async function storeRecording(): Promise<void> {
    await recording?.flush(AbortSignal.timeout(STORE_MS))
  }

  function health(): RelayHealth {
    return worstOf([relay, fleet].flatMap((each) => each?.health() ?? []))
  }

  function followed(): string {
    return relay.clusters.join(', ')
  }

  function unfollowed(): readonly string[] {
    return [...clusters.problems().ambiguous.keys()]
  }

  return {
    port,
    async stop(graceMs) {
      clearInterval(emfTimer)
      clearInterval(recordingTimer)
      ending.abort()
      const grace = AbortSignal.timeout(graceMs)
      await Promise.race([searching, untilAborted(grace)])
      const [ofServices, ofSets = 0] = await Promise.all([relay.stop(grace), fleet?.stop(grace)])
      const unsent = ofServices + ofSets
      await storeRecording()
      await tracing?.stop()
      clusters.close()
      await healthServer.stop()
      await emf.write()
      logger.info({ unsent }, 'shut down; the next start sends what is unsent, and what changes until then')
      return unsent
    },
  }
}

function openSenders(
  environment: Environment,
  queues: ReturnType<typeof openDeployedQueues>,
  metrics: RelayMetrics,
): Pick<RelayOptions, 'senders' | 'viewPublisher'> {
  const sender = (lane: Lane): QueueSender =>
    queues.sender(readQueueUrl(environment, lane), {
      onProblem: () => metrics.count('send_errors', { lane }),
    })
  const viewPublisherUrl = readViewPublisherQueue(environment)
  return {
    senders: { live: sender('live'), sweep: sender('sweep') },
    viewPublisher: viewPublisherUrl === undefined ? undefined : queues.sender(viewPublisherUrl),
  }
}

/** Starts the relays of cluster sets. Their modules are loaded only where there are some. */
async function startFleet(
  options: FleetRelaysOptions & { readonly settings: Settings },
): Promise<FleetRelays | undefined> {
  if (options.settings.clusterSets === NO_CLUSTER_SETS) return undefined
  const { startFleetRelays } = await import('./fleet/index.ts')
  return startFleetRelays(options)
}

const prefixOf = ({ relayStandby }: Settings, environment: Environment): string =>
  relayStandby && environment[VARIABLES.standbyDeployment] !== 'true' ? STANDBY_PREFIX : ''

/** Time for clusters to say who they are before the start, in milliseconds. */
const COMPARE_MS = 5_000

/**
 * Rejects a list that has a cluster twice. A cluster that is discovered by tag is excluded if it is another
 * name of a listed one, and the relay continues: setting tags must not stop it.
 * @throws EnvironmentError if two entries of the list are one cluster
 */
function refuseListedTwice(errors: readonly SameClusterError[], configs: readonly ClusterConfig[]): void {
  const listed = new Set(configs.flatMap((config) => (config.kind === 'discover' ? [] : [config.name])))
  const same = errors.find(({ cluster, other }) => listed.has(cluster) && listed.has(other))
  if (same === undefined) return
  throw new EnvironmentError(
    `${VARIABLES.clusters}: ${same.message}: take one of the two entries out of the list`,
  )
}

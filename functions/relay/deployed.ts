import { Registry } from 'prom-client'
import type { ApiClient } from '../../shared/kubernetes/index.ts'
import type { Lane, QueueSender } from '../../shared/queue/index.ts'
import {
  createEmfMetrics,
  createLogger,
  createRegistryEmf,
  createRelayMetrics,
} from '../../shared/telemetry/index.ts'
import {
  type Aws,
  createAws,
  createClusterClients,
  createClusterDirectory,
  withBudget,
} from '../clusters/index.ts'
import {
  type Environment,
  openDeployedQueues,
  readClusters,
  readPort,
  readQueueUrl,
  readSettings,
  VARIABLES,
} from '../deployed/index.ts'
import { createHealthServer } from './health-server.ts'
import { type Relay, startRelay } from './relay.ts'

export interface DeployedRelayOptions {
  readonly environment: Environment
  /** Default: AWS itself. */
  readonly aws?: Aws
  readonly write?: (line: string) => void
  /** How often clusters are looked for by their tag; default 5 minutes. */
  readonly searchIntervalMs?: number
}

/** The relay as it is deployed. */
export interface DeployedRelay {
  /** Of the health server. */
  readonly port: number
  /** Ends the watches, sends what waits, and resolves to the number of keys that could not be sent within the time. */
  stop(graceMs: number): Promise<number>
}

/** Once a minute, so that the sum of a minute is the number of relays that run; an alarm of infra/ counts them. */
export const RELAY_UP = 'RelayUp'
/** CloudWatch keeps one value a minute. */
const EMF_INTERVAL_MS = 60_000
const SEARCH_INTERVAL_MS = 5 * 60_000
/** When clusters come or go, what waits is sent within this time before the relay goes on with the others. */
const CHANGE_GRACE_MS = 30_000

/**
 * Watches the clusters of its environment and sends keys to both lanes. Where clusters are found by a tag it begins anew
 * with those that came or went: everything is listed again then, as after any start, and without checkpoints sent again.
 * @throws EnvironmentError naming what is missing or wrong
 */
export async function startDeployedRelay({
  environment,
  aws = createAws(),
  write,
  searchIntervalMs = SEARCH_INTERVAL_MS,
}: DeployedRelayOptions): Promise<DeployedRelay> {
  const logger = createLogger({ ...(write && { write }) })
  const settings = readSettings(environment)
  const directory = createClusterDirectory({ clusters: readClusters(environment), aws, logger })
  const clusters = createClusterClients(directory, logger, withBudget(settings.apiCallsPerSecond))
  const queues = openDeployedQueues(logger)
  const registry = new Registry()
  const metrics = createRelayMetrics(registry)
  const sender = (lane: Lane): QueueSender =>
    queues.sender(readQueueUrl(environment, lane), () => metrics.count('send_errors', { lane }))
  const senders = { live: sender('live'), sweep: sender('sweep') }
  const discoverUrl = environment[VARIABLES.discover.queue]
  const discover = discoverUrl === undefined ? undefined : queues.sender(discoverUrl)
  const emfMetrics = createEmfMetrics({ ...(write && { write }) })
  const emf = createRegistryEmf({ registry, metrics: emfMetrics })

  let clients = await clusters.refresh()
  let relay = follow(clients)
  const health = createHealthServer({ registry, health: () => relay.health() })
  const port = await health.listen(readPort(environment))
  const emfTimer = setInterval(writeMetrics, EMF_INTERVAL_MS)
  let change = Promise.resolve()
  const timer = directory.isDiscovering ? setInterval(lookForClusters, searchIntervalMs) : undefined

  function writeMetrics(): void {
    emfMetrics.count(RELAY_UP)
    void emf.write()
  }

  function follow(some: readonly ApiClient[]): Relay {
    const started = startRelay({ clients: some, settings, senders, discover, logger, metrics })
    const names = started.clusters.join(', ')
    logger.info({ clusters: names }, 'started; waiting for the clusters')
    void started.synced.then(() => {
      if (started === relay) logger.info({ clusters: names }, 'ready: following every cluster')
    })
    return started
  }

  function lookForClusters(): void {
    change = change.then(changeClusters).catch((err: unknown) => {
      logger.error({ err }, 'cannot take up clusters that came or went: going on with those of before')
    })
  }

  async function changeClusters(): Promise<void> {
    const found = await clusters.refresh()
    if (isSame(found, clients)) return
    logger.info({ clusters: clusters.names().join(', ') }, 'clusters came or went: beginning anew with these')
    const ended = relay.stop(AbortSignal.timeout(CHANGE_GRACE_MS))
    await ended
    clients = found
    relay = follow(found)
  }

  return {
    port,
    async stop(graceMs) {
      clearInterval(timer)
      clearInterval(emfTimer)
      await change
      const unsent = await relay.stop(AbortSignal.timeout(graceMs))
      for (const client of clients) client.close()
      await health.stop()
      await emf.write()
      logger.info({ unsent }, 'ended; the next start sends what is unsent, and what changes until then')
      return unsent
    },
  }
}

const isSame = (some: readonly ApiClient[], others: readonly ApiClient[]): boolean =>
  some.length === others.length && some.every((client) => others.includes(client))

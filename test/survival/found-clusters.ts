import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { startEmbeddedQueue } from '../../cli/local/embedded-queue/embedded-queue.ts'
import type { ApiServer } from '../cluster/api-server.ts'
import { type Child, createChildProcesses } from '../cluster/child-processes.ts'
import { type EksCluster, startEks } from '../deployed/aws-stand-in.ts'
import { SLICEFLOW_TOKEN } from '../end-to-end/cluster.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'

/**
 * The deployed relay, which discovers clusters by a tag, with an EKS in which one API server is every
 * cluster, and with queues.
 */
export interface FoundClusters {
  /** Adds a cluster of this name, also by its alias, to this region. */
  add(region: string, name: string): void
  /** Ends the relay, if it runs, by SIGKILL, and starts it. */
  startRelay(): Promise<void>
  readonly isRelayRunning: boolean
  /** Returns `cluster/service` of every key of the namespace that was sent so far. */
  keysOf(namespace: string): Promise<ReadonlySet<string>>
  close(): Promise<void>
}

const REGIONS = ['eu-west-1', 'us-east-1']
const TAG = 'sliceflow'
const NAME_TAG = 'sliceflow/name'
const RELAY = fileURLToPath(new URL('../../functions/relay/main.ts', import.meta.url))

export async function openFoundClusters(server: ApiServer): Promise<FoundClusters> {
  const regions: Record<string, Record<string, EksCluster>> = {}
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-found-'))
  const processes = createChildProcesses()
  processes.guardFolder(folder)
  const queue = await startEmbeddedQueue({ visibilityTimeoutSeconds: 600 })
  const eks = await startEks(regions)
  // The API server knows no tokens of AWS.
  const door = await startFaultProxy({
    server: new URL(server.url),
    authority: server.authority,
    route: (url) => url.replace(/^\/found\/[^/]+\/[^/]+/, ''),
  })
  const headers = { authorization: `Bearer ${SLICEFLOW_TOKEN}` }
  // Each cluster is the server by a path of its own, and none says who it is.
  door.decide(({ url }) =>
    url.includes('/namespaces/kube-system')
      ? { kind: 'answer', status: 403 }
      : { kind: 'ask-instead', url, headers },
  )
  const environment = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: queue.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: queue.credentials.secretAccessKey,
    AWS_ENDPOINT_URL_EKS: eks.endpoint,
    AWS_ENDPOINT_URL_RESOURCE_GROUPS_TAGGING_API: eks.endpoint,
    AWS_ENDPOINT_URL_SQS: queue.endpoint,
    SLICEFLOW_CLUSTERS: JSON.stringify(
      REGIONS.map((region) => ({ kind: 'discover', region, tagKey: TAG, nameTag: NAME_TAG })),
    ),
    SLICEFLOW_LIVE_QUEUE_URL: queue.lanes.live.url,
    SLICEFLOW_SWEEP_QUEUE_URL: queue.lanes.sweep.url,
    SLICEFLOW_PORT: '0',
  }
  const keys = new Map<string, Set<string>>()
  let relay: Child | undefined

  async function kill(): Promise<void> {
    relay?.kill('SIGKILL')
    await relay?.ended
  }

  /** Receives messages until there are no more. */
  async function receive(QueueUrl: string): Promise<void> {
    const request = { QueueUrl, MaxNumberOfMessages: 10 }
    for (;;) {
      const { Messages = [] } = await queue.client.receiveMessage(request)
      if (Messages.length === 0) return
      for (const { Body = '' } of Messages) {
        const { cluster, namespace, service } = JSON.parse(Body)
        const known = keys.get(namespace) ?? new Set<string>()
        keys.set(namespace, known.add(`${cluster}/${service}`))
      }
    }
  }

  return {
    add(region, name) {
      const cluster = {
        endpoint: `${door.url}/found/${region}/${name}`,
        authority: door.authority,
        tags: { [TAG]: '', [NAME_TAG]: name },
      }
      regions[region] = { ...regions[region], [name]: cluster }
    },
    async startRelay() {
      await kill()
      const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
      relay = await processes.start('env', [...variables, execPath, RELAY], join(folder, 'relay.log'))
    },
    get isRelayRunning() {
      return relay?.running === true
    },
    async keysOf(namespace) {
      for (const { url } of Object.values(queue.lanes)) await receive(url)
      return keys.get(namespace) ?? new Set()
    },
    async close() {
      await kill()
      // Its guard removes the folder as well.
      processes.close()
      await Promise.all([
        queue.stop(),
        eks.stop(),
        door.close(),
        rm(folder, { recursive: true, force: true }),
      ])
    },
  }
}

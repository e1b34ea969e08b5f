import type { Message } from '@aws-sdk/client-sqs'
import type { TestContext } from 'vitest'
import { startEmbeddedQueues, startEventSourceMapping } from '../../cli/local/index.ts'
import { type ApiClient, createApiClient } from '../../shared/kubernetes/index.ts'
import { createHandler } from '../../shared/queue/consumer/index.ts'
import { createQueueSender, createReceivedMessages, type KeyMessage } from '../../shared/queue/index.ts'
import { createReconciler, limitClusterCalls, UnknownClusterError } from '../../shared/reconciler/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { createLogger } from '../../shared/telemetry/index.ts'
import { answerJson, type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts'

/** Answers of a cluster: as one without any Service, with a refusal, or none at all. */
export type Behaviour = 'empty' | 'forbidden' | 'throttling' | 'cut' | 'hanging'

export interface WorldCluster {
  readonly requests: readonly string[]
  behave(behaviour: Behaviour): void
}

/** The function fed from an embedded queue, with guarded clients of clusters that answer as a test says. */
export interface World {
  readonly clusters: Readonly<Record<'east' | 'west', WorldCluster>>
  /** `cluster/service` of the keys that were brought up to date, in order. */
  readonly done: readonly string[]
  /** `cluster/service` of the keys that were left in an outage. */
  readonly left: readonly string[]
  readonly log: readonly Readonly<Record<string, unknown>>[]
  /** Messages that failed, over all batches. */
  readonly failedMessages: () => number
  send(cluster: string, services: readonly string[]): Promise<void>
  deadLetters(): Promise<readonly Message[]>
}

export interface WorldOptions {
  readonly maxReceiveCount?: number
  /** Failed messages come back at once, whatever they were postponed for. Default false. */
  readonly hurried?: boolean
  readonly functionTimeout?: number
}

/** The longest that a client lets a cluster make it wait. */
export const RETRY_AFTER_SECONDS = 60

/** Ends with the test that it is given by: such tests run side by side, as they mostly wait. */
export async function openWorld(
  onTestFinished: TestContext['onTestFinished'],
  { maxReceiveCount = 12, hurried = false, functionTimeout = 60 }: WorldOptions = {},
): Promise<World> {
  const settings = parseSettings({ maxReceiveCount, functionTimeout })
  const log: Record<string, unknown>[] = []
  const logger = createLogger({ write: (line) => void log.push(JSON.parse(line)) })
  const queues = await startEmbeddedQueues(settings)
  const { client, lanes } = queues
  const { url: queueUrl, deadLetters, deadLetterUrl } = lanes.live
  const servers = { east: await startScriptedServer(), west: await startScriptedServer() }
  const clients = new Map<string, ApiClient>()
  for (const [cluster, { connection }] of Object.entries(servers)) {
    const { forFunction } = limitClusterCalls({ cluster, settings, logger })
    clients.set(cluster, createApiClient({ ...connection, name: cluster }, forFunction))
  }
  const done: string[] = []
  const left: string[] = []
  let failed = 0
  const received = createReceivedMessages({ client, queueUrl, logger })
  const handler = createHandler({
    reconcile: createReconciler({
      clientOf: (cluster) => {
        const known = clients.get(cluster)
        if (known === undefined) throw new UnknownClusterError(`cluster ${cluster} is not known`)
        return known
      },
      settings,
      logger,
      onReconciled: ({ key }) => void done.push(`${key.cluster}/${key.service}`),
    }),
    deadLetters,
    visibility: {
      postpone: (changes, signal) =>
        received.postpone(hurried ? changes.map((change) => ({ ...change, seconds: 0 })) : changes, signal),
    },
    logger,
    settings: { maxReceiveCount },
    onLeft: ({ cluster, service }) => void left.push(`${cluster}/${service}`),
  })
  const mapping = await startEventSourceMapping({
    ...{ client, queueUrl, logger, isOwnQueue: true },
    handler: (event, context) => handler(event, context),
    limits: { functionTimeoutSeconds: functionTimeout },
    onBatch: (report) => {
      failed += report.failed
    },
  })
  onTestFinished(async () => {
    for (const server of Object.values(servers)) await server.close()
    await mapping.stop()
    for (const one of clients.values()) one.close()
    await queues.stop()
  })
  const sender = createQueueSender({ client, queueUrl, logger })
  return {
    clusters: { east: clusterOf(servers.east), west: clusterOf(servers.west) },
    done,
    left,
    log,
    failedMessages: () => failed,
    async send(cluster, services) {
      await sender.send(services.map((service): KeyMessage => ({ cluster, namespace: 'shop', service })))
    },
    async deadLetters() {
      const { Messages = [] } = await client.receiveMessage({
        QueueUrl: deadLetterUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 0,
        MessageAttributeNames: ['All'],
      })
      return Messages
    },
  }
}

function clusterOf(server: ScriptedServer): WorldCluster {
  const behave = (behaviour: Behaviour): void =>
    server.answer((request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? ''
      switch (behaviour) {
        case 'empty':
          return answerAsEmpty(path, response)
        case 'forbidden':
          return answerJson(response, statusOf(403, 'Forbidden', 'User "sliceflow" cannot list this'), 403)
        case 'throttling':
          response.setHeader('retry-after', RETRY_AFTER_SECONDS)
          return answerJson(response, statusOf(429, 'TooManyRequests', 'slow down'), 429)
        case 'cut':
          return void request.socket.destroy()
        case 'hanging':
          return undefined
      }
    })
  behave('empty')
  return { requests: server.requests, behave }
}

function answerAsEmpty(path: string, response: Parameters<typeof answerJson>[0]): void {
  const [collection, name] = path.split('/').slice(-2)
  if (collection !== 'services') answerJson(response, { items: [], metadata: { resourceVersion: '1' } })
  else answerJson(response, { ...statusOf(404, 'NotFound', 'not found'), details: { name } }, 404)
}

const statusOf = (code: number, reason: string, message: string): object => ({
  kind: 'Status',
  code,
  reason,
  message,
})

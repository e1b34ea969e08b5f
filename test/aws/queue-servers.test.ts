import { randomUUID } from 'node:crypto'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQS,
} from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { buildApp } from 'fauxqs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { redriveLetters } from '../../cli/commands/dead-letters/run.ts'
import { openClusters, openQueues, startEventSourceMapping, startLocal } from '../../cli/local/index.ts'
import { ANNOTATION_SELECTOR } from '../../shared/changes/index.ts'
import { ENDPOINT_SLICES, NAMESPACES, NODES, SERVICES } from '../../shared/kubernetes/index.ts'
import { createQueueSender } from '../../shared/queue/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { startEmbeddedCluster } from '../end-to-end/embedded-cluster.ts'
import { openKubeconfigs } from '../support/kubeconfig-folder.ts'
import { createFakePods, makeNode, makePod, makeService } from '../support/world/index.ts'
import { emulatorConfig, queueEndpoint } from './endpoint.ts'

const POLL = { timeout: 20_000, interval: 50 }
const RECEIVES = 3
const KEY = { cluster: 'a', namespace: 'shop', service: 'web' }

/** An SQS server; whether it tells consumers the group of a message, which fauxqs forgets. */
interface QueueServer {
  readonly name: string
  readonly tellsGroups: boolean
  /** Whether it knows whose dead letters a queue has. */
  readonly listsSources: boolean
  /** Resolves to its endpoint; ends with the test. */
  open(): Promise<string>
}

const SERVERS: readonly QueueServer[] = [
  { name: 'fauxqs', tellsGroups: false, listsSources: false, open: openFauxqs },
  { name: 'ElasticMQ', tellsGroups: true, listsSources: true, open: async () => queueEndpoint ?? '' },
]

async function openFauxqs(): Promise<string> {
  const app = buildApp({ logger: false, defaultRegion: 'us-east-1' })
  onTestFinished(async () => void (await app.close()))
  return app.listen({ port: 0, host: '127.0.0.1' })
}

/**
 * Creates a queue with a dead-letter queue, as a lane of a deployment has it but with a shorter visibility
 * timeout.
 */
async function createLane(endpoint: string, visibilitySeconds = 60) {
  for (const [name, value] of Object.entries({
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_SQS: endpoint,
  }))
    vi.stubEnv(name, value)
  const client = new SQS({ ...emulatorConfig, endpoint })
  onTestFinished(() => {
    client.destroy()
    vi.unstubAllEnvs()
  })
  const create = async (name: string, Attributes: Record<string, string>): Promise<string> => {
    const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes }))
    // Servers may name themselves as nobody here knows them.
    return `${endpoint}${new URL(QueueUrl).pathname}`
  }
  const name = `lane-${randomUUID()}`
  const deadLetterUrl = await create(`${name}-dead`, { MessageRetentionPeriod: '1209600' })
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetterUrl, AttributeNames: ['QueueArn'] }),
  )
  const policy = { deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: RECEIVES }
  const url = await create(name, {
    VisibilityTimeout: String(visibilitySeconds),
    RedrivePolicy: JSON.stringify(policy),
  })
  const bodies = async (queue: string): Promise<string[]> => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: queue, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
    )
    return Messages.map(({ Body = '' }) => Body)
  }
  return { client, url, deadLetterUrl, bodies }
}

async function openCluster() {
  const cluster = await startEmbeddedCluster('a')
  const kubeconfigs = await openKubeconfigs()
  onTestFinished(async () => {
    await kubeconfigs.close()
    await cluster.stop()
  })
  const { client } = await kubeconfigs.connect(cluster.admin)
  const { connection } = await kubeconfigs.connect(cluster.user)
  return { client, connection }
}

describe.skipIf(queueEndpoint === undefined).each(SERVERS)(
  'the queues of $name (npm run test:aws)',
  ({ open, tellsGroups, listsSources }) => {
    it('bring a change to its slices, and what is no message to the dead letters with the reason', async () => {
      const lane = await createLane(await open())
      const { client, connection } = await openCluster()
      const queues = await openQueues({ live: lane.url }, SILENT_LOG)
      const settings = parseSettings({ coalescingWindow: 0.05 })
      const local = await startLocal({
        clusters: openClusters([connection], { settings, logger: SILENT_LOG }),
        ...{ queues, settings, telemetry: { logger: SILENT_LOG } },
      })
      onTestFinished(async () => {
        await local.stop(2_000)
        await queues.stop()
      })
      await local.synced
      await client.create(NODES, makeNode({ name: 'node-1' }))
      await client.create(NAMESPACES, { metadata: { name: 'shop' } })
      const service = makeService({ namespace: 'shop', name: 'web', selector: null })
      const annotations = { [ANNOTATION_SELECTOR]: 'app=web' }
      await client.create(SERVICES, { ...service, metadata: { ...service.metadata, annotations } })
      await createFakePods(client).start(
        makePod({ namespace: 'shop', name: 'web-1', labels: { app: 'web' }, nodeName: 'node-1' }),
        ['10.0.0.1'],
      )
      const addresses = async () =>
        (await client.list(ENDPOINT_SLICES, { namespace: 'shop' })).items.flatMap(
          ({ endpoints }) => endpoints?.flatMap((endpoint) => endpoint.addresses) ?? [],
        )
      await expect.poll(addresses, POLL).toEqual(['10.0.0.1'])

      await lane.client.send(new SendMessageCommand({ QueueUrl: lane.url, MessageBody: 'not a key' }))
      const letters = async () => {
        const { Messages = [] } = await lane.client.send(
          new ReceiveMessageCommand({
            QueueUrl: lane.deadLetterUrl,
            MessageAttributeNames: ['All'],
            VisibilityTimeout: 0,
          }),
        )
        return Messages.map(({ Body, MessageAttributes = {} }) => [
          Body,
          Object.values(MessageAttributes).map(({ StringValue }) => StringValue),
        ])
      }
      await expect.poll(letters, POLL).toEqual([['not a key', expect.arrayContaining(['MalformedMessage'])]])
    })

    it('give a key up after as many receives as the policy says, and hand it out again once it is redriven', async () => {
      const lane = await createLane(await open(), 1)
      let isBroken = true
      const receives: string[] = []
      const mapping = await startEventSourceMapping({
        client: lane.client,
        queueUrl: lane.url,
        logger: SILENT_LOG,
        limits: { functionTimeoutSeconds: 1 },
        async handler({ Records }: SQSEvent) {
          receives.push(...Records.map(({ attributes }) => attributes.ApproximateReceiveCount))
          const failed = isBroken ? Records : []
          return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
        },
      })
      onTestFinished(() => mapping.drain())
      await createQueueSender({ client: lane.client, queueUrl: lane.url, logger: SILENT_LOG }).send([KEY])
      await expect.poll(() => lane.bodies(lane.deadLetterUrl), POLL).toHaveLength(1)
      expect(receives).toEqual(['1', '2', '3'])

      isBroken = false
      vi.spyOn(process.stdout, 'write').mockReturnValue(true)
      vi.spyOn(process.stderr, 'write').mockReturnValue(true)
      onTestFinished(() => void vi.restoreAllMocks())
      const before = receives.length
      const redrive = (url: string): Promise<void> =>
        redriveLetters(
          { queues: [{ url }], output: 'json', waitSeconds: 0, signal: new AbortController().signal },
          { rate: 10, to: lane.url },
        )
      if (!listsSources)
        await expect(redrive(lane.deadLetterUrl)).rejects.toThrow(
          'its server does not know ListDeadLetterSourceQueues: name the lane’s queue instead',
        )
      await redrive(listsSources ? lane.deadLetterUrl : lane.url)
      await expect.poll(() => receives.length, POLL).toBe(before + 1)
      expect(await lane.bodies(lane.deadLetterUrl)).toEqual([])
    })

    it('keep the cluster of a key as its group, by which SQS is fair to others', async () => {
      const { client, url } = await createLane(await open())
      await createQueueSender({ client, queueUrl: url, logger: SILENT_LOG }).send([KEY])
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: url, MessageSystemAttributeNames: ['MessageGroupId'] }),
      )
      expect(Messages.map(({ Attributes }) => Attributes?.MessageGroupId)).toEqual([
        tellsGroups ? 'a' : undefined,
      ])
    })
  },
)

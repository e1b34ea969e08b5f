import { randomUUID } from 'node:crypto'
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQS,
} from '@aws-sdk/client-sqs'
import type { Context } from 'aws-lambda'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parse } from 'yaml'
import { startEventSourceMapping } from '../../cli/local/index.ts'
import { createDeployedHandler } from '../../functions/reconcile/from-environment.ts'
import type { DeploymentSettingsProps } from '../../infra/constructs/index.ts'
import { emptyBundles, SECRET } from '../../infra/constructs/template.fixtures.ts'
import { createFakeAws } from '../../shared/clusters/fake-aws.fixtures.ts'
import { encodeMessage } from '../../shared/queue/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { startEmbeddedCluster } from '../end-to-end/embedded-cluster.ts'
import { listEventSourceMappings } from './cloudformation.ts'
import { deployVersion, type EmulatedStack, urlOf } from './emulated-stack.ts'
import { emulatorConfig, emulatorEndpoint, HOW_TO_RUN } from './endpoint.ts'

const POLL = { timeout: 20_000, interval: 100 }

/** Deploys as much as the emulator can make. */
const deploy = (settings: DeploymentSettingsProps): Promise<EmulatedStack> =>
  deployVersion(`Sliceflow${randomUUID().slice(0, 8)}`, { clusters: [SECRET], bundles, settings })

const bundles = emptyBundles()

describe.skipIf(emulatorEndpoint === undefined)(`the template of a deployment ${HOW_TO_RUN}`, () => {
  it('gives queues and event source mappings with their settings intact, on which the deployed handler runs', async () => {
    const stack = await deploy({ batchSize: 100, batchWindow: 2, maxReceiveCount: 7, maximumConcurrency: 20 })
    const client = new SQS(emulatorConfig)
    onTestFinished(() => client.destroy())
    const [url, deadLetterUrl] = [urlOf(stack, 'LiveQueue'), urlOf(stack, 'LiveDeadLetters')]
    const attributesOf = async (QueueUrl: string) =>
      (await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))).Attributes
    const queue = await attributesOf(url)
    const letters = await attributesOf(deadLetterUrl)
    expect(queue).toMatchObject({ VisibilityTimeout: '382', MessageRetentionPeriod: '345600' })
    expect(JSON.parse(queue?.RedrivePolicy ?? '')).toMatchObject({
      deadLetterTargetArn: letters?.QueueArn,
      maxReceiveCount: 7,
    })
    const mappings = await listEventSourceMappings()
    expect(mappings.filter(({ EventSourceArn }) => EventSourceArn === queue?.QueueArn)).toMatchObject([
      {
        BatchSize: 100,
        MaximumBatchingWindowInSeconds: 2,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 20 },
      },
    ])

    const cluster = await startEmbeddedCluster('edge')
    onTestFinished(() => cluster.stop())
    const aws = createFakeAws()
    const { clusters, users } = parse(cluster.user)
    aws.secrets.set(
      SECRET.secretArn,
      JSON.stringify({
        server: clusters[0].cluster.server,
        ca: clusters[0].cluster['certificate-authority-data'],
        token: users[0].user.token,
      }),
    )
    vi.stubEnv('AWS_ENDPOINT_URL_SQS', emulatorEndpoint)
    vi.stubEnv('AWS_REGION', emulatorConfig.region)
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local')
    onTestFinished(() => void vi.unstubAllEnvs())
    const log: { readonly msg?: string; readonly failed?: number; readonly keys?: number }[] = []
    const handler = await createDeployedHandler({
      environment: {
        SLICEFLOW_CLUSTERS: JSON.stringify([SECRET]),
        SLICEFLOW_LIVE_QUEUE_URL: url,
        SLICEFLOW_LIVE_DEAD_LETTERS_URL: deadLetterUrl,
        SLICEFLOW_SWEEP_QUEUE_URL: urlOf(stack, 'SweepQueue'),
        SLICEFLOW_SWEEP_DEAD_LETTERS_URL: urlOf(stack, 'SweepDeadLetters'),
      },
      aws,
      write: (line) => log.push(JSON.parse(line)),
    })
    const mapping = await startEventSourceMapping({
      client,
      queueUrl: url,
      handler: (event) => handler(event, { getRemainingTimeInMillis: () => 30_000 } as Context),
      logger: SILENT_LOG,
    })
    onTestFinished(() => mapping.drain())
    const bodies = [encodeMessage({ cluster: 'edge', namespace: 'shop', service: 'web' }), 'not a key']
    for (const MessageBody of bodies)
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody }))
    const given = async () =>
      (
        await client.send(new ReceiveMessageCommand({ QueueUrl: deadLetterUrl, VisibilityTimeout: 0 }))
      ).Messages?.map(({ Body }) => Body)
    await expect.poll(given, POLL).toEqual(['not a key'])
    const counted = () => log.filter(({ msg }) => msg === 'handled a batch')
    await expect.poll(() => counted().reduce((sum, { keys = 0 }) => sum + keys, 0), POLL).toBe(1)
    expect(counted().every(({ failed }) => failed === 0)).toBe(true)
  })
})

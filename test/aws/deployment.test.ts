import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQS } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { runProgram } from '../../cli/program.ts'
import { bundleAll } from '../../infra/bundling/index.ts'
import type { Bundles } from '../../infra/constructs/index.ts'
import { type ApiClient, ENDPOINT_SLICES, NODES } from '../../shared/kubernetes/index.ts'
import { encodeMessage } from '../../shared/queue/index.ts'
import { adminOf, createPod, createService, NAMESPACE } from '../deployed/objects.ts'
import { connectionOf } from '../deployed/scene.ts'
import { startEmbeddedCluster } from '../end-to-end/embedded-cluster.ts'
import { createSecret } from './cloudformation.ts'
import { deployVersion, runFunction, runRelay, urlOf, type Version } from './emulated-stack.ts'
import { emulatorConfig, emulatorEndpoint, HOW_TO_RUN } from './endpoint.ts'

const POLL = { timeout: 90_000, interval: 100 }
const TIMEOUT_MS = 300_000
/** The function's time limit, in seconds. */
const TIME_LIMIT = 5

/** Bodies that relays of earlier versions sent: without a hint, and with one that names no slice versions. */
const OLDER_BODIES: readonly ((pod: string, slice: string) => string)[] = [
  () =>
    `{"v":1,"cluster":"edge","namespace":"${NAMESPACE}","service":"web","triggerTime":"2026-01-01T00:00:00Z","resourceVersion":"1"}`,
  (pod, slice) =>
    `{"v":1,"cluster":"edge","namespace":"${NAMESPACE}","service":"web","resourceVersion":"1","hint":{"v":1,"pods":["${pod}"],"slices":["${slice}"],"slicesVersion":"1"}}`,
]

describe.skipIf(emulatorEndpoint === undefined)(`a whole deployment ${HOW_TO_RUN}`, () => {
  let folder: string
  let bundles: Bundles

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sliceflow-stack-'))
    bundles = await bundleAll(join(folder, 'bundles'))
  }, TIMEOUT_MS)
  afterAll(() => rm(folder, { recursive: true }))

  /** Makes a version whose function fails with every call. */
  async function faulty(): Promise<Bundles> {
    const reconcile = join(folder, 'faulty')
    await cp(bundles.reconcile, reconcile, { recursive: true })
    await writeFile(
      join(reconcile, 'index.mjs'),
      "export const handler = async () => { throw new Error('a fault of this version') }\n",
    )
    return { ...bundles, reconcile }
  }

  async function addressesOf(client: ApiClient): Promise<string[][]> {
    const { items } = await client.list(ENDPOINT_SLICES, { namespace: NAMESPACE })
    return items
      .map(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses).toSorted())
      .toSorted()
  }

  it(
    'brings changes to slices; is updated with messages of the old version in flight; a faulty version fills the dead letters, and is rolled back; they are redriven; takes older messages, and has only what failed of a batch come back',
    async () => {
      const sqs = new SQS(emulatorConfig)
      const cluster = await startEmbeddedCluster('edge')
      onTestFinished(async () => {
        sqs.destroy()
        await cluster.stop()
      })
      const client = await adminOf({ cluster })
      const secretArn = await createSecret(`edge-${randomUUID()}`, connectionOf(cluster.user))
      const name = `Sliceflow${randomUUID().slice(0, 8)}`
      const version: Version = {
        bundles,
        clusters: [{ name: 'edge', kind: 'secret', secretArn }],
        settings: {
          batchSize: 20,
          batchWindow: 1,
          sweepBatchWindow: 1,
          maxReceiveCount: 5,
          functionTimeout: TIME_LIMIT,
          coalescingWindow: 0.05,
        },
      }

      // Deploy.
      const first = await deployVersion(name, version)
      const [live, deadLetters] = [urlOf(first, 'LiveQueue'), urlOf(first, 'LiveDeadLetters')]
      // The least that Lambda allows: receives that fail need not be waited for so long.
      await sqs.setQueueAttributes({ QueueUrl: live, Attributes: { VisibilityTimeout: String(TIME_LIMIT) } })
      let running = await runFunction(first)
      const relay = runRelay(first)

      // Change.
      await client.create(NODES, { metadata: { name: 'node-1' } })
      await createService(client)
      await createPod(client, 'web-1', '10.0.0.1')
      await expect.poll(() => addressesOf(client), POLL).toEqual([['10.0.0.1']])

      // A batch is gathered in its window; what is no message goes to the dead letters, and the rest is done.
      const key = { cluster: 'edge', namespace: NAMESPACE, service: 'web' }
      const Entries = ['not a key', encodeMessage(key), encodeMessage(key)].map((MessageBody, index) => ({
        Id: String(index),
        MessageBody,
      }))
      await sqs.sendMessageBatch({ QueueUrl: live, Entries })
      const deadBodies = async (): Promise<string[]> => {
        const input = { QueueUrl: deadLetters, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }
        return ((await sqs.receiveMessage(input)).Messages ?? []).map(({ Body = '' }) => Body)
      }
      await expect.poll(deadBodies, POLL).toEqual(['not a key'])
      expectLog(running.log(), `${name}/Sliceflow`)
      const gathered = (): unknown[] =>
        running.invocations
          .filter(({ event }) => event.Records.some(({ body }) => body === 'not a key'))
          .map(({ event, answer }) => [event.Records.length, answer])
      await expect.poll(gathered, POLL).toEqual([[3, { batchItemFailures: [] }]])
      await sqs.purgeQueue({ QueueUrl: deadLetters })

      // Update, with messages of the old version in flight: none is lost, and the new one handles them.
      await running.stop()
      await createPod(client, 'web-2', '10.0.0.2')
      const waiting = async (): Promise<number> => {
        const { Attributes = {} } = await sqs.getQueueAttributes({ QueueUrl: live, AttributeNames: ['All'] })
        const { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesNotVisible: held } =
          Attributes
        return Number(visible) + Number(held)
      }
      await expect.poll(waiting, POLL).toBeGreaterThan(0)
      const second = await deployVersion(
        name,
        { ...version, settings: { ...version.settings, maxEndpointsPerSlice: 1 } },
        true,
      )
      expect(urlOf(second, 'LiveQueue')).toBe(live)
      running = await runFunction(second)
      await expect.poll(() => addressesOf(client), POLL).toEqual([['10.0.0.1'], ['10.0.0.2']])
      await running.stop()

      // A version that fails with every call: after maxReceiveCount receives the messages are dead letters.
      const broken = await deployVersion(name, { ...version, bundles: await faulty() }, true)
      running = await runFunction(broken)
      await createPod(client, 'web-3', '10.0.0.3')
      await expect.poll(async () => (await deadBodies()).length, POLL).toBeGreaterThan(0)
      const receives = running.invocations.map(({ event }) =>
        Math.max(...event.Records.map(({ attributes }) => Number(attributes.ApproximateReceiveCount))),
      )
      expect(Math.max(...receives)).toBe(5)
      expect(running.invocations.every(({ error }) => error?.includes('a fault of this version'))).toBe(true)
      expect((await addressesOf(client)).flat()).not.toContain('10.0.0.3')
      await running.stop()

      // Roll back, and redrive.
      running = await runFunction(await deployVersion(name, version, true))
      expect(await redrive(live)).toBeUndefined()
      await expect
        .poll(async () => (await addressesOf(client)).flat().toSorted(), POLL)
        .toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3'])
      expect(await deadBodies()).toEqual([])

      // Messages of still older versions in flight. Nobody else sends these Pods: the relay is away.
      await relay.stop()
      for (const [index, bodyOf] of OLDER_BODIES.entries()) {
        const [{ metadata } = { metadata: undefined }] = (
          await client.list(ENDPOINT_SLICES, { namespace: NAMESPACE })
        ).items
        await createPod(client, `old-${index}`, `10.0.1.${index}`)
        await sqs.sendMessage({ QueueUrl: live, MessageBody: bodyOf(`old-${index}`, metadata?.name ?? '') })
        await expect.poll(async () => (await addressesOf(client)).flat(), POLL).toContain(`10.0.1.${index}`)
      }

      // One key of a batch fails: it alone comes back.
      const stray = { ...key, cluster: 'nowhere' }
      const { Successful: sent = [] } = await sqs.sendMessageBatch({
        QueueUrl: live,
        Entries: [encodeMessage(key), encodeMessage(stray)].map((MessageBody, index) => ({
          Id: String(index),
          MessageBody,
        })),
      })
      const [whole, failing] = sent
        .toSorted((one, other) => Number(one.Id) - Number(other.Id))
        .map(({ MessageId }) => MessageId)
      const received = (): unknown[] =>
        running.invocations
          .map(
            ({ event, answer }) =>
              [event.Records.map(({ messageId }) => messageId).toSorted(), answer] as const,
          )
          .filter(([ids]) => ids.some((id) => id === whole || id === failing))
          .slice(0, 2)
      const answer = { batchItemFailures: [{ itemIdentifier: failing }] }
      await expect.poll(received, POLL).toEqual([
        [[whole, failing].toSorted(), answer],
        [[failing], answer],
      ])
      await sqs.purgeQueue({ QueueUrl: live })
      expect(running.invocations.every(({ error }) => error === undefined)).toBe(true)
    },
    TIMEOUT_MS,
  )
})

/** Expects lines as Lambda's JSON format takes them, and metrics of one deployment alone. */
function expectLog(text: string, deployment: string): void {
  const lines = text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line): Record<string, unknown> => JSON.parse(line))
  const reported = lines.filter((line) => 'msg' in line)
  expect(reported.length).toBeGreaterThan(0)
  for (const line of reported)
    expect(line).toMatchObject({
      level: expect.stringMatching(/^(debug|info|warn|error)$/),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    })
  const metrics = lines.filter((line) => '_aws' in line)
  expect(new Set(metrics.map(({ Deployment }) => Deployment))).toEqual(new Set([deployment]))
}

/** Redrives as somebody on call does; resolves to an exit code where it fails. */
function redrive(queue: string): Promise<number | undefined> {
  const { region, credentials } = emulatorConfig
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', emulatorEndpoint)
  vi.stubEnv('AWS_REGION', region)
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey)
  onTestFinished(() => void vi.unstubAllEnvs())
  return runProgram(['dead-letters', 'redrive', '--queue', queue])
}

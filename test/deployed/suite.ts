import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ScheduledHandler } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createAuditSlots, SLOT_SECONDS } from '../../functions/audit/index.ts'
import { bundleAll } from '../../infra/bundling/index.ts'
import type { Bundles } from '../../infra/constructs/index.ts'
import { ENDPOINT_SLICES, NODES } from '../../shared/kubernetes/index.ts'
import { LANES } from '../../shared/queue/index.ts'
import { SLICEFLOW_TOKEN } from '../end-to-end/cluster.ts'
import { startTraceCollector } from '../support/trace-collector.ts'
import { adminOf, createPod, createService, exportService, NAMESPACE } from './objects.ts'
import { captureOutput, contextOf, load, startFunction, startRelay } from './programs.ts'
import { createRecordingsBucket } from './recordings-bucket.ts'
import { type Scene, type StartDeployed, setFleetScene, setScene } from './scene.ts'

/** Long enough for a crowded machine; nothing waits for it when all is well. */
const TIMEOUT_MS = 120_000
const POLL = { timeout: TIMEOUT_MS, interval: 50 }

/**
 * Describes what is deployed: the bundles of functions and relay, loaded from the folders that become assets
 * and the image, with the environment that CloudFormation would set, on an SQS server, a Secrets Manager and
 * an API server.
 */
export function testDeployed(start: StartDeployed): void {
  describe('the deployed bundles', () => {
    let folder: string
    let bundles: Bundles

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sliceflow-deployed-'))
      // Another user reads it, as in the image.
      await chmod(folder, 0o755)
      bundles = await bundleAll(folder)
    }, TIMEOUT_MS)
    afterAll(() => rm(folder, { recursive: true }))

    it(
      'bring slices from a change to the API server, through relay, queue and function',
      async () => {
        const scene = await setScene(start)
        const client = await adminOf(scene)
        const output = await startFunction(scene, bundles)
        const relay = startRelay(scene, bundles)
        await client.create(NODES, { metadata: { name: 'node-1' } })
        await createService(client)
        await createPod(client, 'web-1', '10.0.0.1')
        const addresses = async (): Promise<unknown> => {
          const { items } = await client.list(ENDPOINT_SLICES, { namespace: NAMESPACE })
          return items.flatMap(({ endpoints }) => endpoints?.flatMap((endpoint) => endpoint.addresses) ?? [])
        }
        await expect.poll(addresses, POLL).toEqual(['10.0.0.1'])
        await createPod(client, 'web-2', '10.0.0.2')
        await expect
          .poll(async () => ((await addresses()) as string[]).toSorted(), POLL)
          .toEqual(['10.0.0.1', '10.0.0.2'])
        const writes = linesOf(output(), 'wrote slices')
        expect(writes.at(-1)).toMatchObject({
          cluster: 'edge',
          namespace: NAMESPACE,
          service: 'web',
          sentAt: expect.stringMatching(/^20/),
          messageIds: [expect.any(String)],
          requestId: expect.any(String),
        })
        expect(await relay.stop()).toBe(0)
        expect(relay.log()).toContain('following')
        expect(output()).toContain('"SlicesCreated":1')
        expect(relay.log() + output()).not.toContain(SLICEFLOW_TOKEN)
      },
      TIMEOUT_MS,
    )

    it(
      'tell of a change in one trace of relay and function, where they are told to',
      async () => {
        const collector = await startTraceCollector()
        const set = await setScene(start)
        vi.stubEnv('SLICEFLOW_TRACES', collector.url)
        const scene = { ...set, environment: { ...set.environment, SLICEFLOW_TRACES: collector.url } }
        const client = await adminOf(scene)
        await startFunction(scene, bundles)
        const relay = startRelay(scene, bundles)
        await client.create(NODES, { metadata: { name: 'node-1' } })
        await createService(client)
        await createPod(client, 'web-1', '10.0.0.1')
        const written = () =>
          collector.spans.find(({ name }) => name.endsWith(' endpointslices') && !/^(get|list)/.test(name))
        await expect.poll(written, POLL).toBeDefined()
        // With its end the relay tells what it has not told yet.
        expect(await relay.stop()).toBe(0)
        const of = collector.spans.filter(({ traceId }) => traceId === written()?.traceId)
        const named = (name: string) => of.find((span) => span.name === name)
        expect(named('change')).toMatchObject({ service: 'sliceflow-relay' })
        expect(named('reconcile')).toMatchObject({
          service: 'sliceflow-reconcile',
          parentSpanId: of.find(({ name }) => name.startsWith('send '))?.spanId,
        })
      },
      TIMEOUT_MS,
    )

    it(
      'send the keys of a slot of the audit to the sweep lane on schedule',
      async () => {
        const scene = await setScene(start)
        vi.stubEnv('SLICEFLOW_AUDIT_INTERVAL', String(SLOT_SECONDS))
        const name = earlyInItsSlot()
        const client = await adminOf(scene)
        await createService(client, name)
        captureOutput()
        const { handler } = (await load(bundles.audit)) as { handler: ScheduledHandler }
        await handler({} as never, contextOf(), () => {})
        expect(await received(scene, scene.queue.lanes.sweep.url)).toEqual([
          expect.objectContaining({ cluster: 'edge', namespace: NAMESPACE, service: name, audit: true }),
        ])
      },
      TIMEOUT_MS,
    )

    it(
      'store what the relay sent and the function wrote, where they are told to record it',
      async () => {
        const set = await setScene(start)
        const bucket = await createRecordingsBucket()
        const scene = { ...set, environment: { ...set.environment, ...bucket.environment } }
        for (const [name, value] of Object.entries(bucket.environment)) vi.stubEnv(name, value)
        const client = await adminOf(scene)
        const output = await startFunction(scene, bundles)
        const relay = startRelay(scene, bundles)
        await client.create(NODES, { metadata: { name: 'node-1' } })
        await createService(client)
        await createPod(client, 'web-1', '10.0.0.1')
        const writes = async () =>
          [...(await bucket.read()).values()].flat().filter((record) => record.kind === 'write')
        const came = async () =>
          (await writes()).flatMap(({ came }) => came.map(({ addresses }) => addresses))
        await expect.poll(came, POLL).toEqual([['10.0.0.1']])
        expect(await relay.stop()).toBe(0)

        const folders = await bucket.read()
        const today = new Date().toISOString().slice(0, 10)
        expect([...folders.keys()]).toEqual([`recordings/day=${today}/cluster=edge`])
        expect((await writes()).at(-1)).toMatchObject({
          request: expect.any(String),
          namespace: NAMESPACE,
          service: 'web',
        })
        const changes = [...folders.values()].flat().filter(({ kind }) => kind === 'change')
        expect(changes).toContainEqual(expect.objectContaining({ service: 'web' }))
        expect(output()).not.toContain('cannot store')
      },
      TIMEOUT_MS,
    )

    it(
      'handle a batch all the same where nothing can be stored, and count what is lost',
      async () => {
        const scene = await setScene(start)
        for (const [name, value] of Object.entries({
          AWS_ENDPOINT_URL_S3: scene.queue.endpoint,
          SLICEFLOW_RECORDING: 'on',
          SLICEFLOW_RECORDINGS_BUCKET: 'no-such-bucket',
        }))
          vi.stubEnv(name, value)
        const client = await adminOf(scene)
        const output = await startFunction(scene, bundles)
        await createService(client)
        const key = { v: 1, cluster: 'edge', namespace: NAMESPACE, service: 'web' }
        const { url: QueueUrl } = scene.queue.lanes.live
        await scene.queue.client.sendMessage({ QueueUrl, MessageBody: JSON.stringify(key) })
        await expect.poll(() => output(), POLL).toContain('"LostRecords":1')
        const { items } = await client.list(ENDPOINT_SLICES, { namespace: NAMESPACE })
        expect(items).toHaveLength(1)
        expect(linesOf(output(), 'handled a batch').at(-1)).toMatchObject({ keys: 1, failed: 0 })
      },
      TIMEOUT_MS,
    )

    it.each(LANES)(
      'move what is no message to the dead letters of its own lane: %s',
      async (lane) => {
        const scene = await setScene(start)
        await startFunction(scene, bundles)
        const { url, deadLetterUrl } = scene.queue.lanes[lane]
        await scene.queue.client.sendMessage({ QueueUrl: url, MessageBody: 'not a key' })
        await expect.poll(() => bodies(scene, deadLetterUrl), POLL).toEqual(['not a key'])
      },
      60_000,
    )

    it(
      'say in one line which variable is wrong',
      async () => {
        const scene = await setScene(start)
        const relay = startRelay(
          { ...scene, environment: { ...scene.environment, SLICEFLOW_CLUSTERS: '[]' } },
          bundles,
        )
        expect(await relay.ended).toBe(1)
        expect(relay.log().trim().split('\n')).toEqual([
          expect.stringContaining('SLICEFLOW_CLUSTERS: clusters: the list is empty'),
        ])
      },
      TIMEOUT_MS,
    )

    it(
      'import what one cluster of a set exports in the others',
      async () => {
        const [edge, far] = await setFleetScene(start)
        const output = await startFunction(edge, bundles)
        const relay = startRelay(edge, bundles)
        await exportService(await adminOf(edge), '10.0.0.1')
        const client = await adminOf(far)
        const addresses = async (): Promise<unknown> => {
          const { items } = await client.list(ENDPOINT_SLICES, { namespace: NAMESPACE })
          return items.map(({ metadata, endpoints }) => [
            metadata?.labels?.['multicluster.kubernetes.io/source-cluster'],
            endpoints?.flatMap((endpoint) => endpoint.addresses),
          ])
        }
        await expect.poll(addresses, POLL).toEqual([['edge', ['10.0.0.1']]])
        expect(await relay.stop()).toBe(0)
        expect(output()).toContain('"SlicesCreated":2')
      },
      TIMEOUT_MS,
    )

    it(
      'know the errors of what a function loads only for cluster sets',
      async () => {
        const scene = await setScene(start)
        const client = await adminOf(scene)
        const output = await startFunction(scene, bundles)
        await createService(client)
        const send = (cluster: string): Promise<unknown> =>
          scene.queue.client.sendMessage({
            QueueUrl: scene.queue.lanes.live.url,
            MessageBody: JSON.stringify({ v: 1, cluster, namespace: NAMESPACE, service: 'web' }),
          })
        await send('edge')
        await expect.poll(() => linesOf(output(), 'handled a batch'), POLL).toMatchObject([{ failed: 0 }])
        await send('clusterset:gone')
        await expect.poll(() => linesOf(output(), 'handled a batch'), POLL).toMatchObject([{}, { failed: 1 }])
        expect(output()).toContain('known are the cluster sets none')
        expect(output()).toContain('UnknownCluster')
        expect(output()).not.toContain('Unexpected')
      },
      TIMEOUT_MS,
    )

    it(
      'say in one line which cluster set is wrong',
      async () => {
        const { environment } = await setScene(start)
        const sets = [{ name: 'prod', clusters: [{ name: 'edge' }, { name: 'edgy' }] }]
        const relay = startRelay(
          { environment: { ...environment, SLICEFLOW_CLUSTER_SETS: JSON.stringify(sets) } },
          bundles,
        )
        expect(await relay.ended).toBe(1)
        expect(relay.log()).toContain(
          'set \\"prod\\": edgy is not one of the clusters (edge); did you mean edge?',
        )
      },
      TIMEOUT_MS,
    )
  })
}

/** Finds a Service whose message the queue need not keep back. Slots spread keys over ten minutes. */
function earlyInItsSlot(): string {
  const slots = createAuditSlots(SLOT_SECONDS)
  const delayOf = (service: string): number =>
    slots.placeOf({ cluster: 'edge', namespace: NAMESPACE, service }).delaySeconds
  const name = Array.from({ length: 10_000 }, (_, index) => `web-${index}`).find((one) => delayOf(one) === 0)
  if (name === undefined) throw new Error('no name comes at once')
  return name
}

/** Returns the lines of a log with this message. */
const linesOf = (text: string, msg: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter((line) => line.msg === msg)

const received = async (scene: Scene, url: string): Promise<unknown[]> =>
  (await bodies(scene, url)).map((body) => JSON.parse(body))

async function bodies({ queue }: Scene, QueueUrl: string): Promise<string[]> {
  const input = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }
  const { Messages = [] } = await queue.client.receiveMessage(input)
  return Messages.map(({ Body = '' }) => Body)
}

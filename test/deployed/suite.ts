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
  describe('the deployed bundles', { timeout: TIMEOUT_MS }, () => {
    let folder: string
    let bundles: Bundles

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sliceflow-deployed-'))
      // Another user reads it, as in the image.
      await chmod(folder, 0o755)
      bundles = await bundleAll(folder)
    }, TIMEOUT_MS)
    afterAll(() => rm(folder, { recursive: true }))

    it('bring slices from a change to the API server, through relay, queue and function; in one trace, and recorded', async () => {
      const collector = await startTraceCollector()
      const bucket = await createRecordingsBucket()
      const further = { SLICEFLOW_TRACES: collector.url, ...bucket.environment }
      const set = await setScene(start)
      for (const [name, value] of Object.entries(further)) vi.stubEnv(name, value)
      const scene = { ...set, environment: { ...set.environment, ...further } }
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
      const records = async () => [...(await bucket.read()).values()].flat()
      const recorded = async () =>
        (await records()).flatMap((record) =>
          record.kind === 'write' ? record.came.map(({ addresses }) => addresses[0]) : [],
        )
      await expect.poll(recorded, POLL).toEqual(['10.0.0.1', '10.0.0.2'])
      const written = () =>
        collector.spans.find(({ name }) => name.endsWith(' endpointslices') && !/^(get|list)/.test(name))
      await expect.poll(written, POLL).toBeDefined()
      // With its end the relay sends what it has not sent yet.
      expect(await relay.stop()).toBe(0)
      expect(relay.log()).toContain('following')
      expect(linesOf(output(), 'wrote slices').at(-1)).toMatchObject({
        cluster: 'edge',
        namespace: NAMESPACE,
        service: 'web',
        sentAt: expect.stringMatching(/^20/),
        messageIds: [expect.any(String)],
        requestId: expect.any(String),
      })
      expect(output()).toContain('"SlicesCreated":1')
      expect(relay.log() + output()).not.toContain(SLICEFLOW_TOKEN)

      const of = collector.spans.filter(({ traceId }) => traceId === written()?.traceId)
      const named = (name: string) => of.find((span) => span.name === name)
      expect(named('change')).toMatchObject({ service: 'sliceflow-relay' })
      expect(named('reconcile')).toMatchObject({
        service: 'sliceflow-reconcile',
        parentSpanId: of.find(({ name }) => name.startsWith('send '))?.spanId,
      })

      const today = new Date().toISOString().slice(0, 10)
      expect([...(await bucket.read()).keys()]).toEqual([`recordings/day=${today}/cluster=edge`])
      const ofService = { namespace: NAMESPACE, service: 'web' }
      expect(await records()).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ kind: 'write', request: expect.any(String), ...ofService }),
          expect.objectContaining({ kind: 'change', ...ofService }),
        ]),
      )
      expect(output()).not.toContain('cannot store')
    })

    it('send the keys of a slot of the audit to the sweep lane on schedule', async () => {
      const scene = await setScene(start)
      vi.stubEnv('SLICEFLOW_AUDIT_INTERVAL', String(SLOT_SECONDS))
      const name = earlyInItsSlot()
      const client = await adminOf(scene)
      await createService(client, name)
      captureOutput()
      const { handler } = (await load(bundles.audit)) as { handler: ScheduledHandler }
      await handler({} as never, contextOf(), () => {})
      expect((await bodies(scene, scene.queue.lanes.sweep.url)).map((body) => JSON.parse(body))).toEqual([
        expect.objectContaining({ cluster: 'edge', namespace: NAMESPACE, service: name, audit: true }),
      ])
    })

    it('handle a batch where nothing can be stored, and count that; know the errors of what is loaded for cluster sets', async () => {
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
      const send = (cluster: string): Promise<unknown> =>
        scene.queue.client.sendMessage({
          QueueUrl: scene.queue.lanes.live.url,
          MessageBody: JSON.stringify({ v: 1, cluster, namespace: NAMESPACE, service: 'web' }),
        })
      await send('edge')
      await expect.poll(() => output(), POLL).toContain('"LostRecords":1')
      const { items } = await client.list(ENDPOINT_SLICES, { namespace: NAMESPACE })
      expect(items).toHaveLength(1)
      const handled = () => linesOf(output(), 'handled a batch')
      await expect.poll(handled, POLL).toMatchObject([{ keys: 1, failed: 0 }])
      await send('clusterset:gone')
      await expect.poll(handled, POLL).toMatchObject([{}, { failed: 1 }])
      expect(output()).toContain('known are the cluster sets none')
      expect(output()).toContain('UnknownCluster')
      expect(output()).not.toContain('Unexpected')
    })

    it('move what is no message to the dead letters of its own lane', async () => {
      const scene = await setScene(start)
      await startFunction(scene, bundles)
      for (const lane of LANES) {
        const { url, deadLetterUrl } = scene.queue.lanes[lane]
        await scene.queue.client.sendMessage({ QueueUrl: url, MessageBody: `not a key, ${lane}` })
        await expect.poll(() => bodies(scene, deadLetterUrl), POLL).toEqual([`not a key, ${lane}`])
      }
    })

    it('import what one cluster of a set exports in the others', async () => {
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
    })

    it('say in one line which variable, or cluster set, is wrong', async () => {
      const { environment } = await setScene(start)
      const relayWith = async (variables: Readonly<Record<string, string>>): Promise<string> => {
        const relay = startRelay({ environment: { ...environment, ...variables } }, bundles)
        expect(await relay.ended).toBe(1)
        return relay.log()
      }
      expect((await relayWith({ SLICEFLOW_CLUSTERS: '[]' })).trim().split('\n')).toEqual([
        expect.stringContaining('SLICEFLOW_CLUSTERS: clusters: the list is empty'),
      ])
      const sets = [{ name: 'prod', clusters: [{ name: 'edge' }, { name: 'edgy' }] }]
      expect(await relayWith({ SLICEFLOW_CLUSTER_SETS: JSON.stringify(sets) })).toContain(
        'set \\"prod\\": edgy is not one of the clusters (edge); did you mean edge?',
      )
    })
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

async function bodies({ queue }: Scene, QueueUrl: string): Promise<string[]> {
  const input = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }
  const { Messages = [] } = await queue.client.receiveMessage(input)
  return Messages.map(({ Body = '' }) => Body)
}

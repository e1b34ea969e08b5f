import { afterEach, beforeEach, expect, it } from 'vitest'
import { startEventSourceMapping } from '../../cli/local/index.ts'
import { startRelay } from '../../functions/relay/index.ts'
import { createMemoryRegistry } from '../../functions/view-publisher/cloud-map/memory-registry.fixtures.ts'
import {
  createMemoryEventBus,
  type MemoryEventBus,
} from '../../functions/view-publisher/event-bus/memory-event-bus.fixtures.ts'
import {
  createCloudMapSink,
  createEventBusSink,
  createPublisher,
  createServiceReader,
  createViewPublisherHandler,
} from '../../functions/view-publisher/index.ts'
import { createMemoryPublicationStore } from '../../functions/view-publisher/store/memory-store.fixtures.ts'
import { type ApiClient, ENDPOINT_SLICES, SERVICES } from '../../shared/kubernetes/index.ts'
import { createQueueSender, createReceivedMessages } from '../../shared/queue/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { loadSpecFile } from '../../shared/views/index.ts'
import { startConnectedCluster } from '../support/kubeconfig-folder.ts'
import { startTestQueue } from '../support/test-queue.ts'

const SPEC = new URL('../../examples/views/endpoints.yaml', import.meta.url).pathname
const PATIENT = { timeout: 15_000, interval: 20 }
const { signal } = new AbortController()

/** The parts of a deployment, each as it is there but for what AWS would do. */
let ends: (() => Promise<unknown>)[]
let client: ApiClient
let bus: MemoryEventBus
const registry = createMemoryRegistry()

beforeEach(async () => {
  ends = []
  const cluster = await startConnectedCluster()
  ends.push(cluster.stop)
  client = cluster.client

  const queue = await startTestQueue('views')
  ends.push(() => queue.stop())
  const lanes = await startTestQueue('lanes')
  ends.push(() => lanes.stop())
  bus = createMemoryEventBus()
  const publisher = createPublisher({
    spec: await loadSpecFile(SPEC),
    read: createServiceReader(() => client),
    store: createMemoryPublicationStore(),
    sinks: [createEventBusSink({ bus }), createCloudMapSink({ registry })],
    logger: SILENT_LOG,
  })
  const handler = createViewPublisherHandler({
    publisher,
    deadLetters: { send: () => Promise.reject(new Error('there should be no dead letters')) },
    visibility: createReceivedMessages({ ...queue, logger: SILENT_LOG }),
    logger: SILENT_LOG,
  })
  const mapping = await startEventSourceMapping({
    ...queue,
    handler: (event, context) => handler(event, context),
    logger: SILENT_LOG,
    limits: { functionTimeoutSeconds: 10 },
  })
  ends.push(() => mapping.drain())
  const sender = createQueueSender({ ...queue, logger: SILENT_LOG })
  const laneSender = createQueueSender({ ...lanes, logger: SILENT_LOG })
  const relay = startRelay({
    clients: [client],
    settings: parseSettings({ coalescingWindow: 0.05 }),
    senders: { live: laneSender, sweep: laneSender },
    viewPublisher: sender,
    telemetry: { logger: SILENT_LOG },
  })
  ends.push(() => relay.stop(AbortSignal.timeout(5_000)))
})
afterEach(async () => {
  for (const end of ends.reverse()) await end()
})

const reported = (): string[] =>
  bus.events.map(({ detail }) => {
    const { type, service, object } = JSON.parse(detail)
    return `${type} ${service} ${object.spec.address}:${object.spec.port}`
  })
const registered = async (): Promise<(string | undefined)[]> =>
  (await registry.list('web.default', signal)).map(({ attributes }) => attributes.AWS_INSTANCE_IPV4).sort()

const slice = (...addresses: readonly string[]) => ({
  metadata: {
    name: 'web-abc',
    namespace: 'default',
    labels: {
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    },
  },
  addressType: 'IPv4' as const,
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [{ name: 'http', port: 80 }],
})
const web = {
  metadata: {
    name: 'web',
    namespace: 'default',
    annotations: { 'dcontroller.io/endpointslice-controller-enabled': '' },
  },
  spec: { ports: [{ name: 'http', port: 80 }] },
}

it('changes of slices that somebody else manages reach bus and Cloud Map, from the watch through the queue', async () => {
  await client.create(SERVICES, web)
  const created = await client.create(ENDPOINT_SLICES, slice('10.0.0.1', '10.0.0.2'))
  await expect
    .poll(reported, PATIENT)
    .toEqual(expect.arrayContaining(['Added web 10.0.0.1:80', 'Added web 10.0.0.2:80']))
  await expect.poll(registered, PATIENT).toEqual(['10.0.0.1', '10.0.0.2'])

  const { metadata } = created
  await client.update(ENDPOINT_SLICES, { ...slice('10.0.0.2', '10.0.0.3'), metadata })
  await expect
    .poll(() => reported().slice(2), PATIENT)
    .toEqual(['Deleted web 10.0.0.1:80', 'Added web 10.0.0.3:80'])
  await expect.poll(registered, PATIENT).toEqual(['10.0.0.2', '10.0.0.3'])

  await client.delete(SERVICES, { namespace: 'default', name: 'web' })
  await expect
    .poll(() => reported().slice(4).sort(), PATIENT)
    .toEqual(['Deleted web 10.0.0.2:80', 'Deleted web 10.0.0.3:80'])
  await expect.poll(registered, PATIENT).toEqual([])
})

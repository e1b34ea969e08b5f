import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, SQSEvent } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  createAuditHandler,
  createAuditMetrics,
  createAuditSlots,
  SLOT_SECONDS,
} from '../../functions/audit/index.ts'
import { startRelay } from '../../functions/relay/index.ts'
import { createServiceReader, createViewPublisherHandler } from '../../functions/view-publisher/index.ts'
import { ANNOTATION_SELECTOR, seal } from '../../shared/changes/index.ts'
import { createClusterIdentities } from '../../shared/clusters/index.ts'
import { ANNOTATION_TOPOLOGY_MODE, LABEL_SERVICE_NAME } from '../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  ConflictError,
  ENDPOINT_SLICES,
  NAMESPACES,
  NODES,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import { type BatchHandler, createHandler } from '../../shared/queue/consumer/index.ts'
import {
  type DeadLetter,
  encodeMessage,
  type KeyMessage,
  type QueueSender,
} from '../../shared/queue/index.ts'
import { createReconciler } from '../../shared/reconciler/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { createEmfMetrics, createLogger, type Log } from '../../shared/telemetry/index.ts'
import { permissionsOf, readRoles } from '../end-to-end/cluster-role.ts'
import { createRawClient, type RawClient } from '../support/raw-client.ts'
import { createFakePods, makeNode, makePod, makeService, makeSlice } from '../support/world/index.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { applyRoles } from './roles.ts'
import { clientOf, connectionOf } from './run-command.ts'
import { takePermission, untilServerGoesBy } from './taken-permission.ts'

const CLUSTER = 'real'
/** The parts of a deployment, each a user of its own in the one group that its access entry names. */
const PARTS = ['sliceflow', 'sliceflow-relay', 'sliceflow-view-publisher'] as const
type Part = (typeof PARTS)[number]
const SERVICE_NAMES = ['fresh', 'stale', 'hinted', 'gone', 'broken'] as const
/** A key that fails is given up at once. */
const RECEIVES = 1
const POLL_MS = 25
const POLL = { timeout: 60_000, interval: POLL_MS }

const settings = parseSettings({ coalescingWindow: 0.05 })
const { roles } = await readRoles()

let server: ApiServer
let admin: RawClient
let users: ReadonlyMap<string, RawClient>

beforeAll(async () => {
  const parts = PARTS.map((part) => ({ token: `${part}-token`, user: `deployed-${part}`, groups: [part] }))
  const flags = ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement']
  server = await startApiServer({ name: CLUSTER, users: parts, flags })
  admin = createRawClient(server.kubeconfig.text)
  await applyRoles(admin)
  users = new Map(
    parts.map(({ token }, at) => [`${PARTS[at]}`, createRawClient(server.kubeconfigFor(token))]),
  )
  for (const role of roles)
    for (const permission of permissionsOf(role)) await untilServerGoesBy(userOf(role), permission, true)
})
afterAll(async () => {
  for (const client of [admin, ...(users?.values() ?? [])]) client?.close()
  await server?.stop()
})

/** Returns the user that has the role. */
function userOf({ metadata: { name } }: (typeof roles)[number]): RawClient {
  const user = users.get(name)
  if (user === undefined) throw new Error(`no part has the ClusterRole ${name}`)
  return user
}

/** Log of a part, and the keys that it gave up. */
interface Said {
  readonly log: Log
  readonly letters: DeadLetter[]
  text(): string
}

function listen(): Said {
  const lines: string[] = []
  const letters: DeadLetter[] = []
  return {
    log: createLogger({ write: (line) => void lines.push(line) }),
    letters,
    text: () =>
      [...lines.map((line) => JSON.parse(line).err ?? ''), ...letters.map(({ reason }) => reason)].join('\n'),
  }
}

const clientFor = (part: Part): Promise<ApiClient> => clientOf(server.kubeconfigFor(`${part}-token`))

/**
 * Makes a namespace with five Services: one to make slices of, one to repair, one with topology hints, for
 * which all Nodes are read, one that is gone and one that cannot be understood.
 */
async function setScene(): Promise<{ namespace: string; keys: readonly KeyMessage[]; client: ApiClient }> {
  const client = await clientOf(server.kubeconfig.text)
  const namespace = `least-${crypto.randomUUID().slice(0, 8)}`
  await client.create(NAMESPACES, { metadata: { name: namespace } })
  await client.create(NODES, makeNode({ name: 'node-1' })).catch((error: unknown) => {
    if (!(error instanceof ConflictError)) throw error
  })
  const service = (name: string, selector: string, more = {}) => {
    const made = makeService({ namespace, name, selector: null })
    const annotations = { [ANNOTATION_SELECTOR]: selector, ...more }
    return client.create(SERVICES, { ...made, metadata: { ...made.metadata, annotations } })
  }
  await service('fresh', 'app=web')
  await service('stale', 'app=web')
  await service('hinted', 'app=web', { [ANNOTATION_TOPOLOGY_MODE]: 'Auto' })
  await service('broken', 'app in web')
  for (const name of ['stale', 'gone'])
    await client.create(
      ENDPOINT_SLICES,
      seal(makeSlice({ namespace, name: `${name}-1`, service: name, managedBy: 'sliceflow.dev' })),
    )
  await createFakePods(client).start(
    makePod({ namespace, name: 'web-1', labels: { app: 'web' }, nodeName: 'node-1' }),
    ['10.0.0.1'],
  )
  const keys = SERVICE_NAMES.map((name) => ({ cluster: CLUSTER, namespace, service: name }))
  return { namespace, keys, client }
}

const common = ({ log, letters }: Said) => ({
  deadLetters: { send: async (letter: DeadLetter) => void letters.push(letter) },
  visibility: { postpone: async () => {} },
  logger: log,
})

/** Gives keys to a function for the last time, so that those that fail become dead letters. */
async function deliver(handler: BatchHandler, keys: readonly KeyMessage[]): Promise<void> {
  const records = keys.map((key, index) => ({
    messageId: String(index),
    receiptHandle: String(index),
    body: encodeMessage(key),
    attributes: { ApproximateReceiveCount: String(RECEIVES), SentTimestamp: String(Date.now()) },
    eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:live',
  }))
  const event = { Records: records } as unknown as SQSEvent
  await handler(event, { getRemainingTimeInMillis: () => 30_000 } as Context)
}

/** Runs a part as it always runs, until `said` names what is missing. The relay does not end by itself. */
const RUN: Readonly<Record<Part, (keys: readonly KeyMessage[], said: Said) => Promise<void>>> = {
  async sliceflow(keys, said) {
    const client = await clientFor('sliceflow')
    const reconcile = createReconciler({ clientOf: () => client, settings, logger: said.log })
    const handler = createHandler({ reconcile, ...common(said), settings: { maxReceiveCount: RECEIVES } })
    await deliver(handler, keys)
    await deliver(handler, await changedPods(keys))
  },
  async 'sliceflow-relay'(_, said) {
    const client = await relayClient(said)
    const { senders } = collectingSenders()
    const relay = startRelay({ clients: [client], settings, senders, telemetry: { logger: said.log } })
    await untilText(said, 'forbidden')
    await relay.stop(AbortSignal.timeout(0))
  },
  async 'sliceflow-view-publisher'(keys, said) {
    const client = await clientFor('sliceflow-view-publisher')
    const read = createServiceReader(() => client)
    const publisher = {
      publish: async (key: KeyMessage, signal: AbortSignal) => void (await read(key, signal)),
      isPublished: async () => false,
    }
    const settings = { maxReceiveCount: RECEIVES }
    await deliver(createViewPublisherHandler({ publisher, ...common(said), settings }), keys)
  },
}

/** Connects the relay as it connects itself: it reads who the cluster is. */
async function relayClient({ log }: Said): Promise<ApiClient> {
  const connection = await connectionOf(server.kubeconfigFor('sliceflow-relay-token'))
  return createClusterIdentities({ logger: log }).admit(await clientFor('sliceflow-relay'), connection)
}

/** Makes a Pod unready that slices hold, and the messages of a relay about it. */
async function changedPods([key]: readonly KeyMessage[]): Promise<KeyMessage[]> {
  if (key === undefined) return []
  const client = await clientOf(server.kubeconfig.text)
  await createFakePods(client).setReady({ namespace: key.namespace, name: 'web-1' }, false)
  const { items } = await client.list(ENDPOINT_SLICES, { namespace: key.namespace })
  return items
    .filter(({ metadata }) => metadata?.labels?.[LABEL_SERVICE_NAME] === 'fresh')
    .map(({ metadata }) => ({
      ...key,
      service: 'fresh',
      hint: { pods: ['web-1'], slices: [metadata?.name ?? ''] },
      relayVerifies: true,
    }))
}

async function untilText(said: Said, text: string): Promise<void> {
  while (!said.text().includes(text)) await sleep(POLL_MS)
}

function collectingSenders(): { senders: { live: QueueSender; sweep: QueueSender }; sent: KeyMessage[] } {
  const sent: KeyMessage[] = []
  const sender: QueueSender = {
    async send(messages) {
      sent.push(...messages)
      return { accepted: [...messages], unsent: [], rejected: [] }
    },
  }
  return { senders: { live: sender, sweep: sender }, sent }
}

describe('each part with the ClusterRole of its own group', () => {
  it('does all of its work', async () => {
    const { namespace, keys, client } = await setScene()
    const said = listen()
    const { senders, sent } = collectingSenders()
    const relay = startRelay({
      clients: [await relayClient(said)],
      settings,
      senders,
      viewPublisher: senders.live,
      telemetry: { logger: said.log },
    })
    onTestFinished(async () => void (await relay.stop(AbortSignal.timeout(0))))
    const ofScene = () => sent.filter((key) => key.namespace === namespace).map(({ service }) => service)
    await expect.poll(() => new Set(ofScene()), POLL).toEqual(new Set(SERVICE_NAMES))

    const audit = createAuditHandler({
      clients: [await clientFor('sliceflow-relay')],
      settings,
      slots: createAuditSlots(SLOT_SECONDS),
      sender: senders.sweep,
      metrics: createAuditMetrics(createEmfMetrics({ write: () => {} })),
      logger: said.log,
    })
    await audit({} as never, { getRemainingTimeInMillis: () => 60_000 } as Context, () => {})
    await RUN.sliceflow(keys, said)
    await RUN['sliceflow-view-publisher'](keys, said)

    expect(said.text()).not.toContain('forbidden')
    expect(said.letters).toEqual([])
    const { items } = await client.list(ENDPOINT_SLICES, { namespace })
    const services = items.map(({ metadata }) => metadata?.labels?.['kubernetes.io/service-name'])
    expect(new Set(services)).toEqual(new Set(['fresh', 'stale', 'hinted']))
    const events = await admin.get(`/api/v1/namespaces/${namespace}/events`)
    expect(events.text).toContain('InvalidSelector')
  })

  it('may write nothing where its work is to read', async () => {
    const { namespace, client } = await setScene()
    const slice = makeSlice({ namespace, name: 'mine', service: 'fresh', managedBy: 'sliceflow.dev' })
    await expect(client.create(ENDPOINT_SLICES, slice)).resolves.toBeDefined()
    for (const part of ['sliceflow-relay', 'sliceflow-view-publisher'] as const) {
      const user = await clientFor(part)
      await expect(
        user.create(ENDPOINT_SLICES, { ...slice, metadata: { ...slice.metadata, name: part } }),
      ).rejects.toThrow('cannot create')
      await expect(user.delete(ENDPOINT_SLICES, { namespace, name: 'mine' })).rejects.toThrow('cannot delete')
    }
  })
})

describe.each(PARTS)('%s says what is missing', (part) => {
  const role = roles.find(({ metadata }) => metadata.name === part)
  if (role === undefined) throw new Error(`infra/rbac has no ClusterRole ${part}`)

  it.each(permissionsOf(role))('without $verb of $resource', async (permission) => {
    const { resource, verb } = permission
    const { keys } = await setScene()
    await takePermission({ admin, user: userOf(role) }, role, permission)
    const said = listen()
    await RUN[part](keys, said)
    const words =
      resource === 'services/finalizers'
        ? `"${verb}" on the resource "${resource}"`
        : `cannot ${verb} resource "${resource}"`
    expect(said.text()).toContain(words)
    if (resource !== 'events' && part !== 'sliceflow-relay')
      expect(said.letters.map(({ failureClass }) => failureClass)).toContain('Forbidden')
  })
})

import { once } from 'node:events'
import { connect, createServer, type Server, type Socket, type TcpNetConnectOpts } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { describeService, explainService } from '../../cli/explain/index.ts'
import {
  ANNOTATION_CHECKED_ADDRESSES,
  checkedAddresses,
} from '../../examples/checked-addresses/checked-addresses.ts'
import { admissionText } from '../../infra/admission/policies.fixtures.ts'
import { referencePage } from '../../infra/reference/index.ts'
import { EVENTS, SERVICES } from '../../shared/kubernetes/index.ts'
import { createNodeReader } from '../../shared/reconciler/index.ts'
import { startEmbeddedCluster } from '../end-to-end/embedded-cluster.ts'
import { openScene, type Scene, until } from '../end-to-end/scene.ts'
import { useCluster } from '../end-to-end/use-cluster.ts'

/** Ports of this machine at which the addresses are in truth. */
const ports = vi.hoisted(() => new Map<string, number>())
const openHere = ({ host = '', signal }: TcpNetConnectOpts): Socket =>
  connect({ host: '127.0.0.1', port: ports.get(host) ?? 1, ...(signal && { signal }) })

/** The list with one entry more, which is all that a new source changes of what exists. */
vi.mock(import('../../shared/changes/sources/sources.ts'), async (original) => {
  const { SOURCES } = await original()
  const { checkedAddresses } = await import('../../examples/checked-addresses/checked-addresses.ts')
  return {
    SOURCES: [...SOURCES, checkedAddresses({ intervalMs: 50, timeoutMs: 2_000, open: (to) => openHere(to) })],
  }
})

const [A, B] = ['10.20.0.5', '10.20.0.6'] as const
const GRANTED = { allowedAddresses: '*/*=10.20.0.0/16' }

const open = useCluster((name) => startEmbeddedCluster(name))

/** Starts something that accepts connections to the address until the test ends, or it is closed. */
async function serve(address: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).listen(ports.get(address) ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const at = server.address()
  if (typeof at === 'object' && at !== null) ports.set(address, at.port)
  onTestFinished(() => void server.close())
  return server
}

const addService = async ({ client, namespace }: Scene, more: Readonly<Record<string, string>> = {}) =>
  client.create(SERVICES, {
    metadata: {
      ...{ name: 'db', namespace },
      annotations: { [ANNOTATION_CHECKED_ADDRESSES]: `${A}, ${B}`, ...more },
    },
    spec: { ports: [{ name: 'sql', port: 5432 }] },
  })

const readiness = async (scene: Scene): Promise<unknown> =>
  (await scene.slices('db'))
    .flatMap(({ endpoints }) => endpoints ?? [])
    .map(({ addresses, conditions }) => [...addresses, conditions?.ready])
    .sort()

const eventsOf = async ({ client, namespace }: Scene): Promise<string[]> =>
  (await client.list(EVENTS, { namespace })).items.map(({ reason, message }) => `${reason} ${message}`)

it('becomes endpoints: what changes outside of the cluster is a key, and the key a slice', async () => {
  const scene = await openScene(open(), GRANTED)
  const first = await serve(A)
  const sliceflow = await scene.start()
  await addService(scene)
  await until(() => readiness(scene)).toEqual([
    [A, true],
    [B, false],
  ])
  await serve(B)
  await until(() => readiness(scene)).toEqual([
    [A, true],
    [B, true],
  ])
  first.close()
  await until(() => readiness(scene)).toEqual([
    [A, false],
    [B, true],
  ])

  const annotations = { [ANNOTATION_CHECKED_ADDRESSES]: B }
  await scene.patchService('db', { metadata: { annotations } })
  await until(() => readiness(scene)).toEqual([[B, true]])
  expect(sliceflow.log.filter(({ level }) => level === 'error')).toEqual([])
})

it('sends keys for its first state, which no checkpoint has, and for each change, and no others', async () => {
  const server = await serve(A)
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const opened = vi.fn(openHere)
  const changed = vi.fn()
  const service = { namespace: 'shop', service: 'db', asked: ['5432', A] }
  const source = checkedAddresses({ intervalMs: 1, timeoutMs: 2_000, open: opened })
  source.watch?.({ list: () => [service], changed }, ending.signal)
  const sent = (): unknown => changed.mock.calls.flat(2)
  await until(() => opened.mock.calls.length).toBeGreaterThan(5)
  expect(sent()).toEqual([service])
  server.close()
  await until(sent).toEqual([service, service])
})

it.each([
  ['RefusedAnnotation', 'may not name the address 10.20.0.5 (setting allowedAddresses)', {}, {}],
  [
    'InvalidAnnotation',
    'it excludes sliceflow.dev/selector',
    GRANTED,
    { 'sliceflow.dev/selector': 'app=db' },
  ],
])('is granted, checked and excluded as any other: %s', async (reason, problem, settings, more) => {
  const scene = await openScene(open(), settings)
  await scene.start()
  await addService(scene, more)
  await until(() => eventsOf(scene)).toEqual([expect.stringContaining(problem)])
  expect(await eventsOf(scene)).toEqual([expect.stringContaining(reason)])
  expect(await scene.slices('db')).toEqual([])
})

it('is explained', async () => {
  const scene = await openScene(open(), GRANTED)
  await serve(A)
  await addService(scene)
  const { client, namespace, settings, cluster } = scene
  const report = await explainService({
    clusterOf: () => ({ client, nodes: createNodeReader(client) }),
    key: { cluster, namespace, service: 'db' },
    settings,
    signal: AbortSignal.timeout(30_000),
  })
  if (report === undefined) throw new Error('there is no such Service')
  expect(report.management.reason).toBe(`it has the annotation ${ANNOTATION_CHECKED_ADDRESSES}`)
  expect(report.source).toEqual({ kind: 'CheckedAddresses' })
  expect(describeService(report, Date.now())).toContain('the addresses of its annotation that answer')
})

it('stands in the admission policies and the reference', async () => {
  const policies = admissionText()
  expect(policies).toContain(`the annotation ${ANNOTATION_CHECKED_ADDRESSES} cannot be used: it excludes`)
  const rows = (await referencePage())
    .split('\n')
    .filter((line) => line.includes(ANNOTATION_CHECKED_ADDRESSES))
  expect(rows).toEqual([expect.stringContaining('ready while their port accepts connections')])
})

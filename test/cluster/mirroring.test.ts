import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isOwnAnnotation } from '../../shared/changes/index.ts'
import {
  apply,
  type EndpointSlice,
  type Endpoints,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  MIRRORING_CONTROLLER,
  planMirror,
} from '../../shared/endpointslice/index.ts'
import { handWritten } from '../../shared/endpointslice/mirroring/mirroring.arbitraries.ts'
import {
  type ApiClient,
  createApiClient,
  ENDPOINT_SLICES,
  ENDPOINTS,
  loadClusters,
  NAMESPACES,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import { createSliceClient } from '../../shared/reconciler/index.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { type ControllerManager, startControllerManager } from './controller-manager.ts'

const NAMESPACE = 'mirrored'
const OURS = 'mirror.example.org'
const OBJECTS = 40
/** Each object is written so often, so that slices are changed, recycled and deleted. */
const REVISIONS = 3
const SEED = 4711
const PATIENT = { timeout: 60_000, interval: 200 }

let server: ApiServer
let controllers: ControllerManager
let client: ApiClient

beforeAll(async () => {
  server = await startApiServer({ name: 'mirroring' })
  const [connection] = await loadClusters(server.kubeconfig.path)
  if (connection === undefined) throw new Error('the kubeconfig names no cluster')
  client = createApiClient(connection)
  controllers = await startControllerManager({
    kubeconfig: server.kubeconfig.path,
    controllers: ['endpointslice-mirroring-controller'],
  })
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
})
afterAll(async () => {
  client?.close()
  await controllers?.stop()
  await server?.stop()
})

const slicesOf = async (managedBy: string, service: string): Promise<readonly EndpointSlice[]> => {
  const labelSelector = `${LABEL_MANAGED_BY}=${managedBy},${LABEL_SERVICE_NAME}=${service}`
  return (await client.list(ENDPOINT_SLICES, { namespace: NAMESPACE, labelSelector })).items
}

/** Makes everything of slices comparable but their names, managers and annotations of ours. */
const mirrorContent = (slices: readonly EndpointSlice[]): string[] =>
  slices
    .map(({ metadata, addressType, ports, endpoints }) => {
      const { [LABEL_MANAGED_BY]: _, ...labels } = metadata?.labels ?? {}
      const sorted = (items: readonly unknown[] | null | undefined): string[] =>
        (items ?? []).map((item) => JSON.stringify(inOrder(item))).sort()
      const { annotations: all = {}, ownerReferences } = metadata ?? {}
      const annotations = Object.fromEntries(Object.entries(all).filter(([key]) => !isOwnAnnotation(key)))
      return JSON.stringify(
        inOrder({
          addressType,
          labels,
          annotations,
          owners: ownerReferences,
          ports: sorted(ports),
          endpoints: sorted(endpoints),
        }),
      )
    })
    .sort()

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, inOrder(one)]),
  )
}

async function mirror(name: string): Promise<void> {
  const ref = { namespace: NAMESPACE, name }
  const [endpoints, service, slices] = await Promise.all([
    client.get(ENDPOINTS, ref),
    client.get(SERVICES, ref),
    slicesOf(OURS, name),
  ])
  const plan = planMirror({ endpoints, service, slices }, { managedBy: OURS })
  const { conflict, failures } = await apply(createSliceClient(client, AbortSignal.timeout(30_000)), plan)
  expect([conflict, failures]).toEqual([undefined, []])
}

async function write(name: string, revision: Pick<Endpoints, 'metadata' | 'subsets'>): Promise<void> {
  const metadata = { ...revision.metadata, name, namespace: NAMESPACE }
  const current = await client.get(ENDPOINTS, { namespace: NAMESPACE, name }).catch(() => undefined)
  const object = { ...revision, apiVersion: 'v1', kind: 'Endpoints', metadata }
  const { uid, resourceVersion } = current?.metadata ?? {}
  if (current === undefined) await client.create(ENDPOINTS, object)
  else await client.update(ENDPOINTS, { ...object, metadata: { ...metadata, uid, resourceVersion } })
}

/**
 * Lets kube-controller-manager begin again: where it gives several slices at once to other ports, it creates
 * one under the name of another and never gets over that (recycleSlices removes by a name that is empty).
 * Ours goes on from what is there.
 */
async function emptyTheirs(names: readonly string[]): Promise<void> {
  for (const name of names) await write(name, { metadata: {}, subsets: [] })
  for (const name of names) await expect.poll(() => slicesOf(MIRRORING_CONTROLLER, name), PATIENT).toEqual([])
}

it('mirrors hand-written Endpoints as kube-controller-manager does, whatever is in them', async () => {
  const cases = fc.sample(handWritten, { seed: SEED, numRuns: OBJECTS * REVISIONS })
  const names = Array.from({ length: OBJECTS }, (_, index) => `db-${index}`)
  for (const name of names)
    await client.create(SERVICES, {
      metadata: { name, namespace: NAMESPACE },
      spec: { ports: [{ port: 80 }] },
    })
  for (let revision = 0; revision < REVISIONS; revision++) {
    if (revision > 0) await emptyTheirs(names)
    for (const [index, name] of names.entries()) {
      const one = cases[revision * OBJECTS + index]
      if (one !== undefined) await write(name, one)
      await mirror(name)
    }
    for (const name of names) {
      const ours = mirrorContent(await slicesOf(OURS, name))
      await expect
        .poll(async () => mirrorContent(await slicesOf(MIRRORING_CONTROLLER, name)), PATIENT)
        .toEqual(ours)
    }
  }
})

it('cuts a subset off at 1000 addresses, the same ones as kube-controller-manager', async () => {
  const name = 'large'
  await client.create(SERVICES, { metadata: { name, namespace: NAMESPACE }, spec: { ports: [{ port: 80 }] } })
  const addresses = Array.from({ length: 1_100 }, (_, at) => ({ ip: `10.8.${at >> 8}.${at % 256}` }))
  await write(name, { metadata: {}, subsets: [{ addresses }] })
  await mirror(name)
  const ours = mirrorContent(await slicesOf(OURS, name))
  expect(ours).toHaveLength(1)
  await expect
    .poll(async () => mirrorContent(await slicesOf(MIRRORING_CONTROLLER, name)), PATIENT)
    .toEqual(ours)
})

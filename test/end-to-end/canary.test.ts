import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { openClusters, startEmbeddedQueues, startLocal } from '../../cli/local/index.ts'
import {
  CANARY,
  CANARY_GRANT,
  createCanaryHandler,
  createCanaryMetrics,
} from '../../functions/canary/index.ts'
import { ANNOTATION_ADDRESSES } from '../../shared/changes/index.ts'
import { type ControlPlane, createControlPlane } from '../../shared/control-plane/index.ts'
import { createApiClient, ENDPOINT_SLICES, SERVICES } from '../../shared/kubernetes/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { createEmfMetrics, createLogger, SILENT_LOG } from '../../shared/telemetry/index.ts'
import { clientOf, connectionOf } from '../cluster/run-command.ts'
import { withToken } from '../support/kubeconfig.ts'
import { createRawClient, type RawClient } from '../support/raw-client.ts'

const USER = { token: 'canary-token', username: 'deployed-canary', groups: ['sliceflow-canary'] }

const MANIFEST = new URL('../../infra/rbac/canary.yaml', import.meta.url)
const COLLECTIONS: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  Service: `/api/v1/namespaces/${CANARY.namespace}/services`,
  Role: `/apis/rbac.authorization.k8s.io/v1/namespaces/${CANARY.namespace}/roles`,
  RoleBinding: `/apis/rbac.authorization.k8s.io/v1/namespaces/${CANARY.namespace}/rolebindings`,
}
const POLL_MS = 25
const PATIENCE_MS = 60_000

/** Metrics and log of one call of the canary. */
interface RelayEvent {
  readonly delays: readonly number[]
  readonly failures: readonly string[]
}

let cluster: ControlPlane
let canary: string
let admin: RawClient

/** Its user has the role of infra/rbac/canary.yaml in a cluster that enforces RBAC. */
beforeAll(async () => {
  const { token, ...user } = USER
  cluster = await createControlPlane({ authentication: { tokens: { [token]: user } }, authorization: 'RBAC' })
  await cluster.listen()
  canary = withToken(cluster.kubeconfig, token)
  admin = createRawClient(cluster.kubeconfig)
  for (const document of parseAllDocuments(await readFile(MANIFEST, 'utf8'))) {
    const object = document.toJS()
    const { status, text } = await admin.post(COLLECTIONS[object.kind] ?? '', object)
    if (status >= 300) throw new Error(`the server refused the ${object.kind} with ${status}: ${text}`)
  }
})
afterAll(async () => {
  admin?.close()
  await cluster?.close()
})

async function startSliceflow(): Promise<void> {
  const settings = parseSettings({ allowedAddresses: CANARY_GRANT, coalescingWindow: 0 })
  const queues = await startEmbeddedQueues(settings)
  const local = await startLocal({
    clusters: openClusters([await connectionOf(cluster.kubeconfig)], { settings, logger: SILENT_LOG }),
    queues,
    settings,
    telemetry: { logger: SILENT_LOG },
  })
  onTestFinished(async () => {
    await local.stop(2_000)
    await queues.stop()
  })
  await local.synced
}

async function callCanary(remainingMs = PATIENCE_MS): Promise<RelayEvent> {
  const delays: number[] = []
  const failures: string[] = []
  const unreachable = createApiClient({
    ...(await connectionOf(canary)),
    name: 'gone',
    server: new URL('https://127.0.0.1:1'),
  })
  const handler = createCanaryHandler({
    clients: [unreachable, await clientOf(canary)],
    metrics: createCanaryMetrics(
      createEmfMetrics({
        write(line) {
          const { CanaryDelay, Cluster } = JSON.parse(line)
          if (CanaryDelay !== undefined && Cluster !== undefined) delays.push(CanaryDelay)
        },
      }),
    ),
    logger: createLogger({
      write(line) {
        const { cluster: of, err } = JSON.parse(line)
        if (err !== undefined && of !== 'gone') failures.push(err)
      },
    }),
  })
  await handler({} as never, { getRemainingTimeInMillis: () => remainingMs } as Context, () => {})
  unreachable.close()
  return { delays, failures }
}

async function publishedAddresses(): Promise<string[]> {
  const client = await clientOf(cluster.kubeconfig)
  const { items } = await client.list(ENDPOINT_SLICES, { namespace: CANARY.namespace })
  return items.flatMap(({ endpoints }) => endpoints?.flatMap(({ addresses }) => addresses) ?? [])
}

describe('the canary', () => {
  it('measures a change though the canary of another deployment changes the Service a moment later', async () => {
    const client = await clientOf(cluster.kubeconfig)
    const annotations = async () => (await client.get(SERVICES, CANARY)).metadata?.annotations ?? {}
    const before = await annotations()
    const called = callCanary()
    await expect.poll(annotations).not.toEqual(before)
    const other = { metadata: { annotations: { [ANNOTATION_ADDRESSES]: '192.0.2.255' } } }
    await client.patch(SERVICES, CANARY, other)
    await startSliceflow()
    expect(await called).toMatchObject({ failures: [], delays: [expect.any(Number)] })
  })

  it('measures how long Sliceflow takes to publish each change, though another cluster is gone', async () => {
    await startSliceflow()
    const seen = new Set<string>()
    for (const _ of [1, 2]) {
      const { delays, failures } = await callCanary()
      expect(failures).toEqual([])
      expect(delays).toEqual([expect.any(Number)])
      for (const address of await publishedAddresses()) seen.add(address)
      // Its address goes by the second.
      await sleep(1_000)
    }
    expect(seen.size).toBe(2)
  })

  it('may change no other Service, write no slice, and read no other namespace', async () => {
    const user = await clientOf(canary)
    const other = { namespace: CANARY.namespace, name: 'other' }
    await expect(user.patch(SERVICES, other, {})).rejects.toThrow('cannot patch')
    await expect(user.get(SERVICES, CANARY)).rejects.toThrow('cannot get')
    await expect(user.list(ENDPOINT_SLICES)).rejects.toThrow('cannot list')
    await expect(
      user.create(ENDPOINT_SLICES, { metadata: other, addressType: 'IPv4', endpoints: [] }),
    ).rejects.toThrow('cannot create')
  })

  it.each([
    ['patch', 'services'],
    ['list', 'endpointslices'],
  ])('says what is missing without %s of %s', async (verb, resource) => {
    const role = `${COLLECTIONS.Role}/${CANARY.name}`
    const { rules } = (await admin.get(role)).body
    const left = rules.filter(({ resources }: { resources: string[] }) => !resources.includes(resource))
    await admin.patch(role, { rules: left })
    onTestFinished(async () => void (await admin.patch(role, { rules })))
    const refused = async (): Promise<readonly string[]> => (await callCanary(2_000)).failures
    // The authorizer learns of roles by a watch of its own.
    await expect
      .poll(refused, { timeout: PATIENCE_MS, interval: POLL_MS })
      .toEqual([expect.stringContaining(`cannot ${verb} resource "${resource}"`)])
  })
})

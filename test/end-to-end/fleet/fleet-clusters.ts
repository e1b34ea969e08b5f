import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../shared/fleet/crds.fixtures.ts'
import { clusterProperties, customResourceDefinitions } from '../../../shared/fleet/index.ts'
import {
  type ApiClient,
  ApiError,
  type ClusterConnection,
  ConflictError,
  createApiClient,
  loadClusters,
} from '../../../shared/kubernetes/index.ts'
import type { StartCluster } from '../cluster.ts'

/** One of several clusters that a suite has started. */
export interface FleetCluster {
  readonly name: string
  /** May do everything. */
  readonly client: ApiClient
  /** Connection that Sliceflow is given. */
  readonly connection: ClusterConnection
}

export interface FleetClusters {
  readonly clusters: readonly FleetCluster[]
  stop(): Promise<void>
}

const POLL_MS = 20

/** Starts clusters that serve the Multi-Cluster Services API. */
export async function startFleetClusters(
  names: readonly string[],
  startCluster: StartCluster,
): Promise<FleetClusters> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-fleet-'))
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true })]
  const clusters = await Promise.all(
    names.map(async (name): Promise<FleetCluster> => {
      const started = await startCluster(name)
      ends.push(() => started.stop())
      const connect = async (role: string, text: string): Promise<ClusterConnection> => {
        const kubeconfig = join(folder, `${name}-${role}`)
        await writeFile(kubeconfig, text, { mode: 0o600 })
        const [connection] = await loadClusters(kubeconfig)
        if (connection === undefined) throw new Error(`${kubeconfig} names no cluster`)
        return connection
      }
      const client = createApiClient(await connect('admin', started.admin))
      ends.push(async () => client.close())
      await defineKinds(client)
      return { name, client, connection: await connect('user', started.user) }
    }),
  )
  return {
    clusters,
    async stop() {
      for (const end of ends.reverse()) await end()
    },
  }
}

/** Applies the definitions, and waits until their kinds are served. */
export async function defineKinds(client: ApiClient): Promise<void> {
  const definitions = customResourceDefinitions()
  for (const definition of definitions) await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition as object)
  for (const { spec } of definitions)
    while (!(await isServed(client, spec.names.plural))) await pause(POLL_MS)
}

async function isServed(client: ApiClient, plural: string): Promise<boolean> {
  try {
    await client.read(`/apis/multicluster.x-k8s.io/v1beta1/${plural}`)
    return true
  } catch (error) {
    // Until its storage is there a kind is not found, or has the server ask for patience.
    if (error instanceof ApiError && [404, 429, 503].includes(error.code)) return false
    throw error
  }
}

/** As sigs.k8s.io/about-api defines the kind, in short. */
export const PROPERTY_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'clusterproperties.about.k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
  },
  spec: {
    group: 'about.k8s.io',
    scope: 'Cluster',
    names: { plural: 'clusterproperties', singular: 'clusterproperty', kind: 'ClusterProperty' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { value: { type: 'string' } } } },
          },
        },
      },
    ],
  },
}

/** Has a cluster serve ClusterProperties. */
export async function defineProperties(client: ApiClient): Promise<void> {
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, PROPERTY_DEFINITION as object).catch((error: unknown) => {
    if (!(error instanceof ConflictError)) throw error
  })
  const isListed = (): Promise<boolean> =>
    client.list(clusterProperties('v1')).then(
      () => true,
      () => false,
    )
  while (!(await isListed())) await pause(POLL_MS)
}

import { setTimeout as pause } from 'node:timers/promises'
import { CUSTOM_RESOURCE_DEFINITIONS, defineKinds } from '../../../shared/fleet/crds.fixtures.ts'
import { clusterProperties } from '../../../shared/fleet/index.ts'
import { type ApiClient, type ClusterConnection, ConflictError } from '../../../shared/kubernetes/index.ts'
import { openKubeconfigs } from '../../support/kubeconfig-folder.ts'
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
  const kubeconfigs = await openKubeconfigs()
  const ends: (() => Promise<unknown>)[] = []
  const clusters = await Promise.all(
    names.map(async (name): Promise<FleetCluster> => {
      const started = await startCluster(name)
      ends.push(() => started.stop())
      const { client } = await kubeconfigs.connect(started.admin)
      await defineKinds(client)
      const { connection } = await kubeconfigs.connect(started.user)
      return { name, client, connection }
    }),
  )
  return {
    clusters,
    async stop() {
      await kubeconfigs.close()
      for (const end of ends.reverse()) await end()
    },
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

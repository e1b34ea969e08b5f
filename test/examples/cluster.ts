import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { type EndpointSlice, LABEL_SERVICE_NAME, type Pod } from '../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  type ClusterConnection,
  ENDPOINT_SLICES,
  NODES,
  PODS,
  type Resource,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import { startConnectedCluster } from '../support/kubeconfig-folder.ts'

/** An embedded cluster that examples are applied to. */
export interface ExampleCluster {
  readonly client: ApiClient
  readonly connection: ClusterConnection
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string
  /**
   * Creates every object of a file of examples/ in the namespace `default`, and reports its pods as running.
   */
  apply(file: string): Promise<void>
  annotate(service: string, annotations: Readonly<Record<string, string | null>>): Promise<void>
  slices(service: string): Promise<readonly EndpointSlice[]>
}

const EXAMPLES = join(import.meta.dirname, '../../examples')
const RESOURCES: Readonly<Record<string, Resource>> = { Service: SERVICES, Pod: PODS, Node: NODES }

/** Starts a cluster that ends with the test. */
export async function startExampleCluster(name: string): Promise<ExampleCluster> {
  const { plane, connection, client, stop } = await startConnectedCluster({ name })
  onTestFinished(stop)

  async function create(object: ApiObject): Promise<void> {
    const resource = RESOURCES[object.kind ?? '']
    if (resource === undefined) throw new Error(`the examples' ${object.kind} is not known to their test`)
    const metadata = { ...object.metadata, ...(resource.namespaced && { namespace: 'default' }) }
    await client.create(resource, { ...object, metadata })
    if (object.kind === 'Pod') await run(metadata.name ?? '')
  }

  async function run(pod: string): Promise<void> {
    const patch = parse(await readFile(join(EXAMPLES, 'pod-status.yaml'), 'utf8')) as Pick<Pod, 'status'>
    await client.patch(PODS, { namespace: 'default', name: pod, subresource: 'status' }, patch)
  }

  return {
    client,
    connection,
    kubeconfig: plane.kubeconfig,
    async apply(path) {
      const text = await readFile(join(EXAMPLES, path), 'utf8')
      for (const document of parseAllDocuments(text)) await create(document.toJS())
    },
    async annotate(service, annotations) {
      await client.patch(SERVICES, { namespace: 'default', name: service }, { metadata: { annotations } })
    },
    async slices(service) {
      const labelSelector = `${LABEL_SERVICE_NAME}=${service}`
      return (await client.list(ENDPOINT_SLICES, { namespace: 'default', labelSelector })).items
    },
  }
}

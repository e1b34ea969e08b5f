import {
  type ApiClient,
  type ApiObject,
  type CallOptions,
  KubernetesError,
  type Resource,
} from '../../kubernetes/index.ts'
import { MCS_GROUP, MCS_VERSIONS, type McsVersion } from '../resources.ts'

/**
 * Finds the version in which a cluster serves a kind of the API, such as `serviceExports`.
 * @returns undefined where the cluster tells which groups and kinds it serves, and this is none of them: a
 *   404 alone, which may come from whatever stands before it, is an error
 * @throws KubernetesError
 */
export async function findServed<T extends ApiObject>(
  client: ApiClient,
  resourceOf: (version: McsVersion) => Resource<T>,
  options: CallOptions = {},
): Promise<Resource<T> | undefined> {
  const groups = await listAt('/apis', 'groups')
  const group = groups.find((each) => fieldOf(each, 'name') === MCS_GROUP)
  const served = (itemsOf(group, 'versions') ?? []).map((each) => fieldOf(each, 'version'))
  for (const version of MCS_VERSIONS.filter((each) => served.includes(each))) {
    const resource = resourceOf(version)
    const kinds = await listAt(`/apis/${MCS_GROUP}/${version}`, 'resources')
    if (kinds.some((kind) => fieldOf(kind, 'name') === resource.plural)) return resource
  }
  return undefined

  async function listAt(path: string, field: string): Promise<readonly unknown[]> {
    const items = itemsOf(await client.read(path, options), field)
    if (items !== undefined) return items
    throw new KubernetesError(
      `failed to find the APIs of cluster ${client.cluster}: what it answers at ${path} has no list of ${field}`,
    )
  }
}

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[field]
    : undefined

function itemsOf(value: unknown, field: string): readonly unknown[] | undefined {
  const items = fieldOf(value, field)
  return Array.isArray(items) ? items : undefined
}

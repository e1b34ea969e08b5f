import {
  type ApiClient,
  type ApiObject,
  type CallOptions,
  firstServed,
  type Resource,
} from '../../kubernetes/index.ts'
import { MCS_VERSIONS, type McsVersion, serviceImports } from '../resources.ts'

/** Finds the version of a kind that a cluster serves, such as `serviceExports`, like firstServed(). */
export const findServed = <T extends ApiObject>(
  client: ApiClient,
  resourceOf: (version: McsVersion) => Resource<T>,
  options: CallOptions = {},
): Promise<Resource<T> | undefined> => firstServed(client, MCS_VERSIONS.map(resourceOf), options)

/**
 * Returns the version in which a cluster serves the API; undefined where it serves none.
 * @throws KubernetesError
 */
export async function servedVersion(client: ApiClient, signal: AbortSignal): Promise<McsVersion | undefined> {
  const served = await findServed(client, serviceImports, { signal })
  return MCS_VERSIONS.find((version) => version === served?.version)
}

import {
  type ApiClient,
  type ApiObject,
  type CallOptions,
  firstServed,
  type Resource,
} from '../../kubernetes/index.ts'
import { MCS_VERSIONS, type McsVersion } from '../resources.ts'

/**
 * Finds the version in which a cluster serves a kind of the API, such as `serviceExports`, as firstServed()
 * does.
 */
export const findServed = <T extends ApiObject>(
  client: ApiClient,
  resourceOf: (version: McsVersion) => Resource<T>,
  options: CallOptions = {},
): Promise<Resource<T> | undefined> => firstServed(client, MCS_VERSIONS.map(resourceOf), options)

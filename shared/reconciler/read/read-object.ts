import { compareVersions } from '../../endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  type GetOptions,
  isAbsentObject,
  type ObjectRef,
  type Resource,
  TooLargeVersionError,
} from '../../kubernetes/index.ts'

/**
 * Reads one object, which may not be there. Only the API server's own word on this very object counts as its
 * absence: a proxy's 404 does not.
 * @throws KubernetesError when the read failed
 */
export async function readObject<T extends ApiObject>(
  client: ApiClient,
  resource: Resource<T>,
  ref: ObjectRef,
  options?: GetOptions,
): Promise<T | undefined> {
  try {
    return await client.get(resource, ref, options)
  } catch (error) {
    if (isAbsentObject(error, ref.name)) return undefined
    throw error
  }
}

/** KEP-5504: a version is a number without leading zeros; 0 stands for any version, which is no minimum. */
const VERSION = /^[1-9]\d*$/

/**
 * Returns the version that pods must have reached for a first sync; `undefined` if only the newest pods do.
 *
 * The API server's cache may answer with pods older than those from which another writer made the slices. A
 * writer reads everything before it writes, and all kinds count their versions together. So pods of a version
 * above those of all slices are newer than any that slices were written from. If pods have versions of their
 * own (an etcd for them alone), slices may follow older pods until the next sync, but never for good.
 */
export function minimumResourceVersion(
  version: string | undefined,
  sliceVersions: Iterable<string>,
): string | undefined {
  if (version === undefined || !VERSION.test(version)) return undefined
  return [...sliceVersions].every((slice) => compareVersions(version, slice) > 0) ? version : undefined
}

/**
 * Reads what has reached a version, from the API server's cache; the newest without one, or where the API
 * server does not know it: the cluster was restored, or its cache lags too far.
 */
export async function readNotOlderThan<T>(
  notOlderThan: string | undefined,
  read: (notOlderThan?: string) => Promise<T>,
): Promise<T> {
  if (notOlderThan === undefined) return read()
  return read(notOlderThan).catch((error: unknown) => {
    if (error instanceof TooLargeVersionError) return read()
    throw error
  })
}

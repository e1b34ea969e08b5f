import { compareVersions, type EndpointSlice } from '../endpointslice/index.ts'

/** KEP-5504: a version is a number without leading zeros; 0 stands for any version, which is no floor. */
const VERSION = /^[1-9]\d*$/

/**
 * The version that pods must have reached for a first look, or nothing where only the newest pods do.
 *
 * A cache may answer with pods older than those that whoever wrote the slices had read. Everything that a
 * writer reads is older than what it then writes, in one count of versions for all kinds: so pods of a
 * version above those of all slices are newer than any that slices were written for. Where pods have a count
 * of their own (an etcd for them alone), slices may be written for older pods for as long as it takes to look
 * again; never for good.
 */
export function minimumResourceVersion(
  version: string | undefined,
  slices: readonly EndpointSlice[],
): string | undefined {
  if (version === undefined || !VERSION.test(version)) return undefined
  const isAbove = ({ metadata }: EndpointSlice): boolean =>
    compareVersions(version, metadata?.resourceVersion ?? '') > 0
  return slices.every(isAbove) ? version : undefined
}

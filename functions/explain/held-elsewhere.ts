import { ANNOTATION_RELEASE, withControls } from '../../shared/changes/index.ts'
import type { EndpointSlice, ObjectMeta } from '../../shared/endpointslice/index.ts'
import { heldSince } from '../../shared/reconciler/index.ts'
import type { Settings } from '../../shared/settings/index.ts'

/**
 * Says that slices have the note of a hold, although the given settings hold nothing: they are not those that
 * Sliceflow runs with.
 * @param owner metadata of the Service or the ServiceImport, which a release is written on
 * @param now in milliseconds since the epoch
 */
export function heldElsewhere(
  slices: readonly EndpointSlice[],
  owner: ObjectMeta | undefined,
  settings: Pick<Settings, 'maximumRemoval'>,
  now: number,
): string | undefined {
  const { maximumRemoval } = withControls({ ...(owner && { metadata: owner }) }, settings)
  const since = maximumRemoval < 1 ? undefined : heldSince(slices, now)
  if (since === undefined || owner?.annotations?.[ANNOTATION_RELEASE] === since) return undefined
  return `the slices say that a plan is held since ${since}, and these settings hold none: give those that Sliceflow runs with, such as --maximum-removal`
}

import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'

/** Slices as they were: `namespace/name` to uid and resourceVersion. */
export type SliceSnapshot = ReadonlyMap<string, string>

const nameOf = ({ metadata }: EndpointSlice): string => `${metadata?.namespace}/${metadata?.name}`
const versionOf = ({ metadata }: EndpointSlice): string =>
  `uid ${metadata?.uid} at resourceVersion ${metadata?.resourceVersion}`

export const snapshotSlices = (slices: readonly EndpointSlice[]): SliceSnapshot =>
  new Map(slices.map((slice) => [nameOf(slice), versionOf(slice)]))

/** @returns a line a slice that was written, replaced or deleted since the snapshot */
export function checkUntouched(snapshot: SliceSnapshot, slices: readonly EndpointSlice[]): string[] {
  const now = snapshotSlices(slices)
  const lines: string[] = []
  for (const [name, version] of snapshot) {
    const current = now.get(name)
    if (current === undefined) lines.push(`foreign slice ${name} was deleted`)
    else if (current !== version)
      lines.push(`foreign slice ${name} was touched: ${version} is now ${current}`)
  }
  return lines
}

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type EndpointSlice, plan } from './index.ts'
import { applied, deepFreeze, nameOf, writes } from './plan.fixtures.ts'
import { sharesHints } from './test/differential/compare/picture.ts'
import {
  endpointText,
  metadataText,
  portsText,
  type TextOptions,
} from './test/differential/compare/slice-text.ts'
import type { TestCase } from './test/differential/test-case.ts'

/**
 * 150 generated cases, and what k8s.io/endpointslice 0.36 did with them in many runs. It leaves some things
 * to chance (Go's maps), so `observed` holds every outcome that was seen and names in `varies` what was not
 * always the same.
 */
interface Upstream {
  readonly id: string
  readonly final: EndpointSlice[]
  readonly error: string
  readonly observed: {
    readonly counts: [number, number, number][]
    readonly hints?: Record<string, Record<string, number>[]>
    readonly varies?: string[]
  }
}

function read<T>(file: string): T[] {
  const text = gunzipSync(readFileSync(new URL(`testdata/${file}`, import.meta.url))).toString()
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
}

const cases = read<TestCase>('cases.ndjson.gz')
const upstream = new Map(read<Upstream>('upstream.ndjson.gz').map((result) => [result.id, result]))

const keyOf = (slice: EndpointSlice): string => `${slice.addressType} ${portsText(slice)}`

const allEndpoints = (slices: readonly EndpointSlice[], options: TextOptions): string[] =>
  slices
    .flatMap((slice) =>
      (slice.endpoints ?? []).map((each) => `${keyOf(slice)}: ${endpointText(each, options)}`),
    )
    .sort()

/** Lists size and metadata of every slice, without what the API server gives. */
const allSlices = (slices: readonly EndpointSlice[]): string[] =>
  slices.map((slice) => `${keyOf(slice)}: ${slice.endpoints?.length ?? 0} ${metadataText(slice)}`).sort()

function zonesHinted(slices: readonly EndpointSlice[], addressType: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const slice of slices.filter((candidate) => candidate.addressType === addressType)) {
    for (const { conditions, hints } of slice.endpoints ?? []) {
      if (conditions?.ready !== true) continue
      const zones = (hints?.forZones ?? []).map(({ name }) => name).sort()
      const key = hints ? `{${zones.join('+')}}` : '-'
      counts[key] = (counts[key] ?? 0) + 1
    }
  }
  return counts
}

describe('the in-tree controller', () => {
  it.each(cases)('does in $id what the plan does', (state) => {
    const expected = upstream.get(state.id)
    if (expected === undefined) throw new Error(`no result of ${state.id}`)
    const { maxEndpointsPerSlice, triggerTime, controllerName: managedBy } = state
    const result = plan(deepFreeze(state), { maxEndpointsPerSlice, triggerTime, managedBy })
    const slices = applied(state.slices, result)
    const varies = new Set(expected.observed.varies)
    // With topology hints, it is left to chance which endpoint is hinted to another zone.
    const sharedHints = sharesHints(state)

    expect(expected.observed.counts).toContainEqual(writes(result))
    expect(new Set(slices.map(nameOf)).size).toBe(slices.length)
    expect(result.skipped.length > 0).toBe(expected.error !== '')
    if (!varies.has('endpoints')) {
      expect(allEndpoints(slices, { sharedHints })).toEqual(allEndpoints(expected.final, { sharedHints }))
    }
    if (!varies.has('names') && !varies.has('meta'))
      expect(allSlices(slices)).toEqual(allSlices(expected.final))
    for (const [addressType, seen] of Object.entries(sharedHints ? (expected.observed.hints ?? {}) : {})) {
      expect(seen).toContainEqual(zonesHinted(slices, addressType))
    }
  })
})

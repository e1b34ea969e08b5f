import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type EndpointSlice, type PlanState, plan } from './index.ts'
import { applied, deepFreeze, nameOf, writes } from './plan.fixtures.ts'
import type { Endpoint } from './types.ts'

/**
 * 150 generated cases, and what k8s.io/endpointslice 0.36 did with them in many runs. It leaves some things
 * to chance (Go's maps), so `observed` holds every outcome that was seen and names in `varies` what was not
 * always the same.
 */
interface Case extends PlanState {
  readonly id: string
  readonly maxEndpointsPerSlice: number
  readonly triggerTime?: string
  readonly controllerName: string
}
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

const cases = read<Case>('cases.ndjson.gz')
const upstream = new Map(read<Upstream>('upstream.ndjson.gz').map((result) => [result.id, result]))

const isAuto = ({ service }: Case): boolean => {
  const { 'service.kubernetes.io/topology-aware-hints': older, 'service.kubernetes.io/topology-mode': mode } =
    service.metadata?.annotations ?? {}
  return ['Auto', 'auto'].includes(older ?? mode ?? '')
}

const portsText = ({ addressType, ports }: EndpointSlice): string =>
  `${addressType} ${(ports ?? [])
    .map(({ name = '-', port = '-', protocol = '-', appProtocol = '-' }) =>
      [name, port, protocol, appProtocol].join(),
    )
    .sort()
    .join(' ')}`

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .map(([key, item]) => [key, sorted(item)] as const)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : value
const text = (value: unknown): string => JSON.stringify(sorted(value))

/**
 * Writes an endpoint as text. With topology hints, it is left to chance which endpoint is hinted to another
 * zone.
 */
function endpointText(endpoint: Endpoint, anyHints: boolean): string {
  const { hints, addresses, ...rest } = endpoint
  const exact = !(anyHints && endpoint.conditions?.ready === true)
  return text({ ...rest, addresses: addresses.toSorted(), ...(exact && hints ? { hints } : undefined) })
}

const allEndpoints = (slices: readonly EndpointSlice[], anyHints: boolean): string[] =>
  slices
    .flatMap((slice) =>
      (slice.endpoints ?? []).map((e) => `${portsText(slice)}: ${endpointText(e, anyHints)}`),
    )
    .sort()

/** Lists size and metadata of every slice, without what the API server gives. */
const allSlices = (slices: readonly EndpointSlice[]): string[] =>
  slices
    .map((slice) => {
      const { labels, annotations = {}, ownerReferences, namespace } = slice.metadata ?? {}
      return `${portsText(slice)}: ${slice.endpoints?.length ?? 0} ${text({ labels, annotations, ownerReferences, namespace })}`
    })
    .sort()

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

    expect(expected.observed.counts).toContainEqual(writes(result))
    expect(new Set(slices.map(nameOf)).size).toBe(slices.length)
    expect(result.skipped.length > 0).toBe(expected.error !== '')
    if (!varies.has('endpoints')) {
      expect(allEndpoints(slices, isAuto(state))).toEqual(allEndpoints(expected.final, isAuto(state)))
    }
    if (!varies.has('names') && !varies.has('meta'))
      expect(allSlices(slices)).toEqual(allSlices(expected.final))
    for (const [addressType, seen] of Object.entries(isAuto(state) ? (expected.observed.hints ?? {}) : {})) {
      expect(seen).toContainEqual(zonesHinted(slices, addressType))
    }
  })
})

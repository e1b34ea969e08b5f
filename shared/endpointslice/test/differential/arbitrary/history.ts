import * as fc from 'fast-check'
import { ANNOTATION_TOPOLOGY_MODE, type EndpointSlice, type Pod, type Service } from '../../../index.ts'
import { slicesAfter } from '../slices-after.ts'
import type { TestCase } from '../test-case.ts'
import { rarely } from './services.ts'

/** State at an earlier time, as what was different then. */
interface EarlierTime {
  /** Bit i: whether pod i was there. */
  readonly there: number
  /** Bit i: whether pod i was as ready then as it is now. */
  readonly sameReadiness: number
  readonly maxEndpointsPerSlice: number | undefined
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly annotations: Readonly<Record<string, string>> | undefined
  readonly trafficDistribution: string | undefined
  readonly ipFamilies: readonly string[] | undefined
}

const MANY_BITS = 2 ** 20 - 1
const mostBits = fc.oneof(
  { weight: 1, arbitrary: fc.constant(MANY_BITS) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: MANY_BITS }) },
)

const earlierTime: fc.Arbitrary<EarlierTime> = fc.record({
  there: mostBits,
  sameReadiness: mostBits,
  maxEndpointsPerSlice: rarely(3, fc.constantFrom(1, 2, 3, 7)),
  labels: rarely(8, fc.constant({ app: 'web', release: 'old' })),
  annotations: rarely(
    6,
    fc.constantFrom<Record<string, string>[]>({}, { [ANNOTATION_TOPOLOGY_MODE]: 'Auto' }),
  ),
  trafficDistribution: rarely(6, fc.constantFrom('PreferClose', 'PreferSameNode')),
  ipFamilies: rarely(12, fc.constantFrom(['IPv4'], ['IPv6'], ['IPv4', 'IPv6'])),
})

/** Earlier times that may come before a case, oldest first. */
export const histories: fc.Arbitrary<EarlierTime[]> = fc.array(earlierTime, { maxLength: 4 })

/** Returns the slices after these earlier times, by name, as an API server lists them. */
export function slicesFrom(history: readonly EarlierTime[], now: TestCase): readonly EndpointSlice[] {
  let slices: readonly EndpointSlice[] = []
  for (const time of history) {
    const { metadata, ...service } = serviceAt(time, now.service)
    // While it is deleted nothing is created.
    const { deletionTimestamp: _, ...alive } = metadata ?? {}
    const state: TestCase = {
      ...now,
      service: { ...service, metadata: alive },
      pods: podsAt(time, now.pods),
      slices,
      maxEndpointsPerSlice: time.maxEndpointsPerSlice ?? now.maxEndpointsPerSlice,
    }
    slices = slicesAfter(state)
  }
  return slices
}

function serviceAt(
  { labels, annotations, trafficDistribution, ipFamilies }: EarlierTime,
  now: Service,
): Service {
  return {
    ...now,
    metadata: { ...now.metadata, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: {
      ...now.spec,
      ...(trafficDistribution !== undefined && { trafficDistribution }),
      ...(ipFamilies && { ipFamilies: [...ipFamilies] }),
    },
  }
}

const hasBit = (bits: number, index: number): boolean => ((bits >> index) & 1) === 1

function podsAt({ there, sameReadiness }: EarlierTime, now: readonly Pod[]): Pod[] {
  return now.flatMap((pod, index) => {
    if (!hasBit(there, index)) return []
    return hasBit(sameReadiness, index) ? [pod] : [{ ...pod, status: withOtherReadiness(pod.status) }]
  })
}

function withOtherReadiness(status: Pod['status']): Pod['status'] {
  const wasReady = status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
  return { ...status, phase: 'Running', conditions: [{ type: 'Ready', status: wasReady ? 'False' : 'True' }] }
}

import type { ZoneCpu } from './zone-cpu.ts'

/** Number of endpoints that should be hinted to a zone. */
interface ZoneAllotment {
  readonly desired: number
  readonly maximum: number
}
export type ZoneAllotments = ReadonlyMap<string, ZoneAllotment>

/** Share of traffic above its fair share that an endpoint may get: a fifth. */
const OVERLOAD_THRESHOLD = 0.2

const TOO_FEW = 'Insufficient number of endpoints'
const TOO_UNEVEN =
  'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold'

/**
 * Computes what each zone should get of a number of ready endpoints.
 * @returns the reason, when no zone may be overloaded and that is not possible
 */
export function allotmentsFor(endpoints: number, zoneCpu: ZoneCpu): ZoneAllotments | string {
  const situation = `(${endpoints} endpoints, ${zoneCpu.size} zones)`
  if (endpoints < zoneCpu.size) return `${TOO_FEW} ${situation}`
  const zones = [...zoneCpu].map(([zone, share]) => {
    const fair = share * endpoints
    const minimum = Math.ceil(fair * (1 / (1 + OVERLOAD_THRESHOLD)))
    return { zone, minimum, desired: Math.max(fair, minimum) }
  })
  const spare = endpoints - zones.reduce((sum, { minimum }) => sum + minimum, 0)
  if (spare < 0) return `${TOO_UNEVEN} ${situation}`
  return new Map(zones.map(({ zone, minimum, desired }) => [zone, { desired, maximum: minimum + spare }]))
}

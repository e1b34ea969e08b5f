import type { AnnotationRule } from '../../changes/index.ts'
import { quoted, subdomainName } from '../../kubernetes/index.ts'
import { nearest } from '../../schema/index.ts'
import { isRecord, parseJson } from '../../values/index.ts'
import { isAbsent, numberOf, type ReportFault } from '../faults.ts'
import { ANNOTATION_FLEET_POLICY } from '../well-known.ts'

/** Policy of an import: which of the exported endpoints a cluster publishes. */
export interface FleetPolicy {
  /** Absent where no cluster prefers its own endpoints. */
  readonly own?: OwnPreference
  /** Shares of clusters' ready endpoints that the others publish, in %, by id; 100 of those not named. */
  readonly weights: ReadonlyMap<string, number>
}

/** Shares of a cluster's own endpoints that are ready, in %. */
interface OwnPreference {
  /** The endpoints of all clusters are published below this share, and where none is ready. */
  readonly failoverBelow: number
  /** Its own endpoints alone are published again from this share on. */
  readonly returnAt: number
}

const MAX_POLICY_LENGTH = 4096
const MAX_WEIGHTS = 50
/** Characters of a name that a message shows at most. */
const MAX_SHOWN = 80

const FIELDS = ['prefer', 'failoverBelow', 'returnAt', 'weights']
const DEFAULT_FAILOVER_BELOW = 50
const EXAMPLE = '{"prefer":"own","failoverBelow":50,"weights":{"us-1":25}}'

const NO_OBJECT = `it is no JSON object of up to ${MAX_POLICY_LENGTH} characters, such as ${EXAMPLE}`

/** What the annotation must be at least; what stands in the JSON is checked by its reader. */
export const FLEET_POLICY_RULE: AnnotationRule = {
  annotation: ANNOTATION_FLEET_POLICY,
  checks: [
    { kind: 'length', most: MAX_POLICY_LENGTH, problem: NO_OBJECT },
    { kind: 'pattern', pattern: /^[ \t\r\n]*\{[\s\S]*\}[ \t\r\n]*$/, problem: NO_OBJECT },
  ],
}

/** Reads the value of the annotation. An unusable one is skipped and reported. */
export function readFleetPolicy(text: unknown, reportFault: ReportFault): FleetPolicy | undefined {
  if (isAbsent(text)) return undefined
  const faults: string[] = []
  const policy = policyOf(fieldsIn(text), (fault) => faults.push(fault))
  const [fault] = faults
  if (fault === undefined) return policy
  reportFault(`metadata.annotations[${ANNOTATION_FLEET_POLICY}], as ${fault}`)
  return undefined
}

/** @returns undefined where it is no JSON object, or too long to be read */
function fieldsIn(text: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof text !== 'string' || text.length > MAX_POLICY_LENGTH) return undefined
  const fields = parseJson(text)
  return isRecord(fields) ? fields : undefined
}

function policyOf(
  fields: Readonly<Record<string, unknown>> | undefined,
  reportFault: ReportFault,
): FleetPolicy {
  const { prefer, failoverBelow, returnAt, weights } = fields ?? {}
  if (fields === undefined) reportFault(NO_OBJECT)
  for (const name of Object.keys(fields ?? {})) if (!FIELDS.includes(name)) reportFault(unknownField(name))
  const isPreferred = prefer === 'own'
  if (!isPreferred && !isAbsent(prefer)) reportFault('prefer is not "own"')
  const shares = readWeights(weights, reportFault)
  if (!isPreferred && !(isAbsent(failoverBelow) && isAbsent(returnAt)))
    reportFault('failoverBelow and returnAt need "prefer":"own" beside them')
  if (!isPreferred && shares.size === 0)
    reportFault(`it says neither "prefer":"own" nor weights, such as ${EXAMPLE}`)
  return { ...(isPreferred && { own: readShares(failoverBelow, returnAt, reportFault) }), weights: shares }
}

function unknownField(name: string): string {
  const meant = nearest(name, FIELDS)
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
  return `${quoted(name.slice(0, MAX_SHOWN))} is not one of ${FIELDS.join(', ')}${hint}`
}

function readShares(failoverBelow: unknown, returnAt: unknown, reportFault: ReportFault): OwnPreference {
  const below = numberOf(
    failoverBelow,
    { path: 'failoverBelow', least: 0, most: 99, otherwise: DEFAULT_FAILOVER_BELOW },
    reportFault,
  )
  // Halfway to all of them, so that a Pod more or less does not move the traffic there and back.
  const halfway = Math.ceil((below + 100) / 2)
  const range = { path: 'returnAt', least: below + 1, most: 100, otherwise: halfway }
  return { failoverBelow: below, returnAt: numberOf(returnAt, range, reportFault) }
}

function readWeights(value: unknown, reportFault: ReportFault): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  if (isAbsent(value)) return weights
  const entries = isRecord(value) ? Object.entries(value) : []
  if (!isRecord(value) || entries.length > MAX_WEIGHTS)
    reportFault(`weights is no object of up to ${MAX_WEIGHTS} clusters, such as {"us-1":25}`)
  for (const [cluster, weight] of entries.slice(0, MAX_WEIGHTS)) {
    const name = quoted(cluster.slice(0, MAX_SHOWN))
    const path = `weights[${name}]`
    if (subdomainName(cluster).length > 0) reportFault(`${path} has no cluster's id before its colon`)
    // An absent one would count as 100, which null does not say.
    const sent = weight ?? Number.NaN
    weights.set(cluster, numberOf(sent, { path, least: 0, most: 100, otherwise: 100 }, reportFault))
  }
  return weights
}

/** Writes a policy with all of its values, alike for all that mean the same. */
export function fleetPolicyText({ own, weights }: FleetPolicy): string {
  const named = [...weights].sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify({
    ...(own && { prefer: 'own', ...own }),
    ...(named.length > 0 && { weights: Object.fromEntries(named) }),
  })
}

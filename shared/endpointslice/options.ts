import { InvalidOptionError } from './errors.ts'
import { PACKING_POLICIES, type Packing, type PackingPolicy } from './packing/index.ts'
import { canonicalTriggerTime } from './slices/trigger-time.ts'
import type { OwnerReference } from './types.ts'

/** What the metadata of the slices of a plan shall be. */
export interface SliceMetadataOptions {
  /** Value of the label `endpointslice.kubernetes.io/managed-by` on every slice. Default `sliceflow.dev`. */
  readonly managedBy?: string | undefined
  /** RFC 3339: when the change happened that this plan answers; written on every slice that it writes. */
  readonly triggerTime?: string | undefined
  /** Names that a new slice must not have, beside those of the slices given. Default none. */
  readonly namesInUse?: ReadonlySet<string> | undefined
  /**
   * Labels of a slice that are compared with what they ought to be. `upstream` (default): those that the
   * Service has or another writer made up, but not `service.kubernetes.io/headless`, nor labels without a
   * value on a placeholder, as the in-tree controller does; `all`: these as well.
   */
  readonly comparedLabels?: ComparedLabels | undefined
  /**
   * Owner of the slices, such as a ServiceImport; slices of another owner are deleted. Default: the Service,
   * as their controller.
   */
  readonly owner?: OwnerReference | undefined
  /**
   * Further labels of every slice, beside the Service's own and the reserved ones: slices of different ones
   * are planned apart, each with their own names. Default: none.
   */
  readonly labels?: Readonly<Record<string, string>> | undefined
}

export interface PlanOptions extends SliceMetadataOptions {
  /** The most endpoints that a slice is filled up to. Default 100; 1 to 1000 (the API's limit). */
  readonly maxEndpointsPerSlice?: number | undefined
  /**
   * Whether slices are merged when a whole one can be saved. `upstream` (default): never, as the in-tree
   * controller; `compact`: with a few extra writes, and only where the plan writes anyway; or a policy of
   * your own.
   */
  readonly packing?: Packing | PackingPolicy | undefined
  /**
   * Names of Pods of the Service's namespace: plans a part. Only their endpoints are added, brought up to
   * date or taken out; the state has these Pods and some of the Service's slices, whose other endpoints stay
   * as they are, and no placeholder is made. Whether the rest of the Service allows it is the caller's to
   * decide: a part that creates or deletes slices is best thrown away and planned as a whole. Without a
   * `source`. Default: the whole Service.
   */
  readonly onlyPods?: ReadonlySet<string> | undefined
}

type ComparedLabels = 'upstream' | 'all'

export interface PlanSettings {
  readonly maxEndpointsPerSlice: number
  readonly managedBy: string
  /** Trigger time in canonical form; absent if there is none. */
  readonly triggerTime: string | undefined
  readonly namesInUse: ReadonlySet<string>
  readonly policy: PackingPolicy
  readonly onlyPods: ReadonlySet<string> | undefined
  readonly comparedLabels: ComparedLabels
  readonly owner: OwnerReference | undefined
  readonly labels: Readonly<Record<string, string>>
}

/** The limit of discovery.k8s.io/v1: "Each slice may include a maximum of 1000 endpoints". */
const API_MAXIMUM = 1000
/** Form of labels that apimachinery's IsValidLabelValue accepts. */
const LABEL_VALUE = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const COMPARED_LABELS: readonly ComparedLabels[] = ['upstream', 'all']
const NO_NAMES: ReadonlySet<string> = new Set()

/**
 * Fills in the defaults.
 * @throws InvalidOptionError for a value out of its range or form
 */
export function resolveOptions({
  maxEndpointsPerSlice = 100,
  managedBy = 'sliceflow.dev',
  triggerTime,
  namesInUse = NO_NAMES,
  packing = 'upstream',
  onlyPods,
  comparedLabels = 'upstream',
  owner,
  labels = {},
}: PlanOptions = {}): PlanSettings {
  const max = maxEndpointsPerSlice
  if (!Number.isInteger(max) || max < 1 || max > API_MAXIMUM) {
    throw new InvalidOptionError('maxEndpointsPerSlice', `an integer from 1 to ${API_MAXIMUM}`, max)
  }
  if (typeof managedBy !== 'string' || !LABEL_VALUE.test(managedBy)) {
    throw new InvalidOptionError('managedBy', 'a label value that is not empty', managedBy)
  }
  if (!COMPARED_LABELS.includes(comparedLabels)) {
    throw new InvalidOptionError('comparedLabels', COMPARED_LABELS.join(' or '), comparedLabels)
  }
  const policy = policyOf(packing)
  const common = { managedBy, namesInUse, policy, onlyPods, comparedLabels, owner, labels }
  const resolved = { maxEndpointsPerSlice: max, ...common }
  if (triggerTime === undefined) return { ...resolved, triggerTime }
  const canonical = typeof triggerTime === 'string' ? canonicalTriggerTime(triggerTime) : undefined
  if (canonical === undefined) {
    throw new InvalidOptionError('triggerTime', 'an RFC 3339 time, such as 2026-03-01T12:00:00Z', triggerTime)
  }
  return { ...resolved, triggerTime: canonical === '' ? undefined : canonical }
}

function policyOf(packing: Packing | PackingPolicy): PackingPolicy {
  if (typeof packing === 'function') return packing
  if (Object.hasOwn(PACKING_POLICIES, packing)) return PACKING_POLICIES[packing]
  throw new InvalidOptionError('packing', `${Object.keys(PACKING_POLICIES).join(', ')} or a policy`, packing)
}

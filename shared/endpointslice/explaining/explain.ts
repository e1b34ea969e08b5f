import { addressTypesOf } from '../objects/address-types.ts'
import { type Named, readable } from '../objects/validate.ts'
import { type PlanOptions, resolveOptions } from '../options.ts'
import { plan } from '../plan.ts'
import type { PlanState, SlicePlan } from '../slice-plan.ts'
import { hasHints, isReady } from '../topology-hints/endpoint-hints.ts'
import { hintModeOf } from '../topology-hints/mode.ts'
import { topologyProblem } from '../topology-hints/topology-aware-hints.ts'
import { zoneCpuProblem } from '../topology-hints/zone-cpu.ts'
import type { AddressType, EndpointSlice, Service } from '../types.ts'
import { explainSelected, explainSource, type SelectedPods } from './explain-endpoints.ts'
import { explainSlice } from './explain-slices.ts'
import { createSliceIndex, managedByOf } from './slice-index.ts'
import { slicesAfter } from './slices-after.ts'
import type { Explanation, HintExplanation } from './types.ts'

/** State as for plan(), with two differences. */
export interface ExplainState extends Omit<PlanState, 'slices'> {
  /** All slices with the Service's name label, by any manager. */
  readonly slices: readonly EndpointSlice[]
  /**
   * The pods to account for, of one cluster or several, where the plan does not see them as they are.
   * Default: `pods` and `nodes`.
   */
  readonly selected?: SelectedPods | readonly SelectedPods[] | undefined
}

export interface ExplainOptions extends PlanOptions {
  /** Default: plan(), with the slices that have our managed-by value. */
  readonly planWith?: ((state: PlanState, options: PlanOptions) => SlicePlan) | undefined
}

/**
 * Says what plan() would do, and for every pod and slice why. It plans, and asks the plan's own rules for
 * their reasons; so it is as pure and deterministic as plan(), and costs a few times as much.
 * @throws InvalidOptionError
 * @example
 * ```ts
 * const metadata = { name: 'web-0', namespace: 'shop' }
 * const pod = { metadata, status: { phase: 'Succeeded' } }
 * const service = {
 *   metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
 *   spec: { clusterIP: '10.96.0.7' },
 * }
 * const { endpoints } = explain({ service, pods: [pod], nodes: [], slices: [] })
 * endpoints.map(({ outcome }) => outcome) // => ['LeftOut']
 * ```
 */
export function explain(
  state: ExplainState,
  { planWith = plan, ...options }: ExplainOptions = {},
): Explanation {
  const { managedBy } = resolveOptions(options)
  const { selected, slices, ...rest } = state
  const ours = slices.filter((slice) => managedByOf(slice) === managedBy)
  const planned = planWith({ ...rest, slices: ours }, options)
  const [service] = readable('Service', [state.service], [])
  if (service === undefined) return { addressTypes: [], endpoints: [], slices: [], hints: [], plan: planned }
  const addressTypes = state.source?.addressTypes ?? addressTypesOf(service)
  const after = slicesAfter(ours, planned)
  const context = {
    service,
    addressTypes,
    managedBy,
    before: createSliceIndex(readable('EndpointSlice', slices, [])),
    after: createSliceIndex(readable('EndpointSlice', after, [])),
  }
  return {
    addressTypes,
    endpoints:
      state.source === undefined || selected !== undefined
        ? explainSelected([selected ?? { pods: state.pods, nodes: state.nodes }].flat(), context)
        : explainSource(state.source, context),
    slices: slices.map((slice) => explainSlice(slice, { ...context, plan: planned, after })),
    hints: addressTypes.map((type) => explainHints(type, { state, service, plan: planned, after })),
    plan: planned,
  }
}

interface HintContext {
  readonly state: ExplainState
  readonly service: Named<Service>
  readonly plan: SlicePlan
  readonly after: readonly EndpointSlice[]
}

function explainHints(
  addressType: AddressType,
  { state, service, plan: { events }, after }: HintContext,
): HintExplanation {
  const slices = after.filter((slice) => slice.addressType === addressType)
  const ready = slices.flatMap(({ endpoints }) => endpoints ?? []).filter(isReady)
  const said = topologyProblem(events, addressType)
  const nodes = said && zoneCpuProblem(readable('Node', state.nodes, []))
  const problem = nodes === undefined ? said : `${said}: ${nodes}`
  return {
    addressType,
    mode: hintModeOf(service),
    ...(problem !== undefined && { problem }),
    ready: ready.length,
    hinted: ready.filter(hasHints).length,
  }
}

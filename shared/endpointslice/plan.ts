import { serviceOfSelector } from './endpoint-selector.ts'
import { publishedPods } from './endpoints/published-pods.ts'
import { addressTypesOf } from './objects/address-types.ts'
import { isBeingDeleted } from './objects/timestamps.ts'
import { type Named, readable, type SkippedObject } from './objects/validate.ts'
import { type PlanOptions, type PlanSettings, resolveOptions } from './options.ts'
import {
  type AnyPlanState,
  addStats,
  NO_STATS,
  type PlanEvent,
  type PlannedSlice,
  type PlanState,
  type SelectorPlanState,
  type SlicePlan,
} from './slice-plan.ts'
import { type AddressTypePlan, type PlanContext, planAddressType } from './slices/plan-address-type.ts'
import { SliceMetadata } from './slices/slice-metadata.ts'
import { SliceNames } from './slices/slice-names.ts'
import { publishedFrom } from './sources/source.ts'
import { hasHints } from './topology-hints/endpoint-hints.ts'
import { type ZoneCpu, zoneCpuOf } from './topology-hints/zone-cpu.ts'
import type { AnyEndpointSlice, EndpointSlice, Service } from './types.ts'

/**
 * Works out what to write so that a Service's slices hold its pods. Pure and deterministic: pods and nodes
 * may come in any order, and the input is never changed. It does what k8s.io/endpointslice 0.37 does
 * (KEP-752), apart from names.
 *
 * Per address type:
 * 1. Slices of another owner (an older Service of this name) go.
 * 2. Pods are grouped by port set and each group is packed onto its slices; slices of port sets that no pod
 *    has go.
 * 3. Where no slice would remain, a placeholder without endpoints shows that the Service was synced.
 * 4. Hints are brought up to date.
 * 5. Slices to create take the place of slices to delete.
 *
 * Objects that are not of the API's form are left out and listed in `skipped`; if the Service is, the plan is
 * empty. Timestamps may be Dates, as in client-node's objects. They stay so in the slices of the plan, which
 * can therefore be sent with client-node as they are.
 * @throws InvalidOptionError
 * @example
 * ```ts
 * const service = {
 *   metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
 *   spec: { clusterIP: '10.96.0.7' },
 * }
 * const metadata = { name: 'web-0', namespace: 'shop', uid: 'u2' }
 * const spec = { nodeName: 'n1', containers: [] }
 * const pod = { metadata, spec, status: { podIPs: [{ ip: '10.0.0.5' }] } }
 * const nodes = [{ metadata: { name: 'n1' } }]
 * const options = { managedBy: 'controller.example.org' }
 * const { create } = plan({ service, pods: [pod], nodes, slices: [] }, options)
 * create.map(({ endpoints }) => endpoints?.map(({ addresses }) => addresses)) // => [[['10.0.0.5']]]
 * ```
 */
export function plan<Slice extends AnyEndpointSlice = EndpointSlice>(
  state: AnyPlanState<Slice> | SelectorPlanState<Slice>,
  options?: PlanOptions,
): SlicePlan<PlannedSlice<Slice>> {
  // A slice that is written has the timestamps of the one that was read, and a new one has none.
  const planned: SlicePlan<AnyEndpointSlice> = planInJson(
    state as PlanState | SelectorPlanState<EndpointSlice>,
    options,
  )
  return planned as SlicePlan<PlannedSlice<Slice>>
}

function planInJson(
  given: PlanState | SelectorPlanState<AnyEndpointSlice>,
  options: PlanOptions | undefined,
): SlicePlan {
  const settings = resolveOptions(options)
  const skipped: SkippedObject[] = []
  const { service: object, ...state } = 'endpointSelector' in given ? ofSelector(given, skipped) : given
  const [service] = object === undefined ? [] : readable('Service', [object], skipped)
  const result = service === undefined ? emptyPlan() : planFor(service, state, settings, skipped)
  return { ...result, skipped: skipped.sort(byName) }
}

/** Reads the EndpointSelector as a Service; as none if it cannot be read. */
function ofSelector(
  { endpointSelector, ...state }: SelectorPlanState<AnyEndpointSlice>,
  skipped: SkippedObject[],
): Omit<PlanState, 'service'> & { readonly service: Service | undefined } {
  const [selector] = readable('EndpointSelector', [endpointSelector], skipped)
  return { ...(state as PlanState), service: selector && serviceOfSelector(selector) }
}

type UnskippedPlan = Omit<SlicePlan, 'skipped'>

const emptyPlan = (): UnskippedPlan => ({ create: [], update: [], delete: [], events: [], stats: NO_STATS })

const byName = (a: SkippedObject, b: SkippedObject): number => (nameOf(a) < nameOf(b) ? -1 : 1)
const nameOf = ({ kind, namespace, name, message }: SkippedObject): string =>
  `${kind}/${namespace}/${name}/${message}`

function planFor(
  service: Named<Service>,
  state: Omit<PlanState, 'service'>,
  settings: PlanSettings,
  skipped: SkippedObject[],
): UnskippedPlan {
  const nodes = readable('Node', state.nodes, skipped)
  const slices = readable('EndpointSlice', state.slices, skipped).filter(isAlive)
  const types = state.source?.addressTypes ?? addressTypesOf(service)
  const events: PlanEvent[] = []
  const context: PlanContext = {
    service,
    settings,
    slices,
    published:
      state.source === undefined
        ? publishedPods(service, readable('Pod', state.pods, skipped), nodes, skipped)
        : publishedFrom(state.source, service, skipped),
    metadata: new SliceMetadata(service, settings),
    names: new SliceNames(
      service,
      new Set([...settings.namesInUse, ...namesOf(state.slices)]),
      settings.labels,
    ),
    zoneCpu: once(() => zoneCpuOf(nodes)),
    hadHints: () => events.some(({ type }) => type === 'Normal') || slices.some(isHinted),
  }
  const plans: AddressTypePlan[] = []
  for (const type of types) {
    const planned = planAddressType(type, context)
    plans.push(planned)
    events.push(...planned.events)
  }
  const unsupported = slices.filter(({ addressType }) => !types.some((type) => type === addressType))
  return {
    create: plans.flatMap(({ create }) => create),
    update: plans.flatMap(({ update }) => update),
    delete: [...plans.flatMap((planned) => planned.delete), ...unsupported],
    events,
    stats: plans.map(({ stats }) => stats).reduce(addStats, NO_STATS),
  }
}

const isAlive = ({ metadata }: Named<EndpointSlice>): boolean => !isBeingDeleted(metadata)
const isHinted = ({ endpoints }: EndpointSlice): boolean => (endpoints ?? []).some(hasHints)

/** Lists names in use, also those of slices that the plan leaves out. */
const namesOf = (slices: readonly EndpointSlice[]): string[] =>
  slices.flatMap((slice) => slice?.metadata?.name ?? [])

function once(work: () => ZoneCpu | undefined): () => ZoneCpu | undefined {
  let done: { result: ZoneCpu | undefined } | undefined
  return () => {
    done ??= { result: work() }
    return done.result
  }
}

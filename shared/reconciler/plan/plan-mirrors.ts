import { isOurs, isOwnAnnotation, type Leftovers, leftoversOf } from '../../changes/index.ts'
import {
  type EndpointSlice,
  type Endpoints,
  isMirror,
  type MirrorEvent,
  planMirror,
  type Service,
  type SlicePlan,
} from '../../endpointslice/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { AddressFilter } from '../guards/refused/refused-addresses.ts'

type MirrorSettings = Pick<Settings, 'managedBy' | 'leftovers'> & Partial<Pick<Settings, 'mirrorEndpoints'>>

interface MirrorsInput {
  readonly service: Service
  readonly selection: Leftovers
  /** `undefined` where there are none, or they are not to be mirrored. */
  readonly endpoints: Endpoints | undefined
  /** Slices with one of the values of `managersOf`. */
  readonly slices: readonly EndpointSlice[]
  readonly settings: MirrorSettings
  readonly addresses: AddressFilter
  /** Names that slices of others have. */
  readonly takenNames: ReadonlySet<string>
}

/** Plan of a Service whose slices mirror Endpoints. */
interface PlannedMirrors {
  /** The slices that it was made of. */
  readonly slices: readonly EndpointSlice[]
  /** Deletes also the slices `left`. */
  readonly planned: SlicePlan
  readonly events: readonly MirrorEvent[]
  /** Slices that we made for the Service otherwise, and that do not stay. */
  readonly left: readonly EndpointSlice[]
  /** True if there are mirrors, or the plan creates some. */
  readonly hasMirrors: boolean
}

/** Calls planMirror() without the refused addresses, with what a reconcile adds to its slices. */
export function planMirrors({ service, endpoints, slices, ...input }: MirrorsInput): PlannedMirrors {
  const { selection, settings, addresses, takenNames } = input
  const mirrors = slices.filter(isMirror)
  const left = leftSlices(slices, leftoversOf(selection, settings.leftovers))
  const allowed = endpoints && addresses.filterEndpoints(endpoints)
  const namesInUse = new Set([...takenNames, ...slices.map(({ metadata }) => metadata?.name ?? '')])
  const { events, ...planned } = planMirror(
    { endpoints: allowed?.endpoints, service, slices: mirrors },
    { managedBy: settings.managedBy, namesInUse, isOwnAnnotation },
  )
  const skipped = [...(allowed?.skipped ?? [])]
  return {
    slices: [...mirrors, ...left],
    planned: { ...planned, delete: [...planned.delete, ...left], events: [], skipped },
    events,
    left,
    hasMirrors: mirrors.length + planned.create.length > 0,
  }
}

const leftSlices = (slices: readonly EndpointSlice[], leftovers: 'keep' | 'delete'): EndpointSlice[] =>
  leftovers === 'keep' ? [] : slices.filter((slice) => isOurs(slice) && !isMirror(slice))

import { copyJson } from '../objects/copy.ts'
import type { Named } from '../objects/validate.ts'
import type { Endpoint, EndpointPort, EndpointSlice } from '../types.ts'

/** A slice that is to be written. Its endpoints are copies of its own, so that they may be changed. */
export interface Draft {
  /** The slice that it is the next version of; absent for a new one. */
  readonly origin: Named<EndpointSlice> | undefined
  readonly ports: readonly EndpointPort[]
  readonly endpoints: Endpoint[]
  /** Bring the labels up to date as well; a slice whose endpoints alone are added to keeps its own. */
  readonly relabel: boolean
}

/** Planned slices of one address type; each existing slice is in exactly one of the last three lists. */
export interface Drafts {
  readonly create: Draft[]
  readonly update: Draft[]
  keep: Named<EndpointSlice>[]
  remove: Named<EndpointSlice>[]
}

/** Makes a draft of the slice as it is. */
export function draftOf(origin: Named<EndpointSlice>, relabel: boolean): Draft {
  return { origin, ports: origin.ports ?? [], endpoints: copyJson(origin.endpoints ?? []), relabel }
}

export const newDraft = (ports: readonly EndpointPort[]): Draft => ({
  origin: undefined,
  ports,
  endpoints: [],
  relabel: true,
})

import { type EndpointSlice, LABEL_MANAGED_BY } from '../../../shared/endpointslice/index.ts'
import { type STATES, stateOf } from '../../../shared/report/elements/index.ts'
import { printable } from '../../../shared/telemetry/index.ts'

type State = keyof typeof STATES

/** A slice as it is drawn. */
export interface PicturedSlice {
  readonly name: string
  /** A letter for each endpoint, as `stateOf` gives it. */
  readonly cells: string
  /** Manager of the slice, if it is not ours. */
  readonly manager?: string
}

/** A Service's slices as they are drawn, as many as can be seen. */
export interface Picture {
  /** Slices in the order of their names. */
  readonly slices: readonly PicturedSlice[]
  /** Slices that are not drawn. */
  readonly hidden: number
  /** Endpoints of all slices by their state. */
  readonly endpoints: Readonly<Record<State, number>>
}

/** Maximum numbers that are drawn: more are hard to see and would slow down the page. */
const MAX_SLICES = 24
const MAX_CELLS = 3_000

/** @param managedBy the value of slices that are ours */
export function picturedSlice({ metadata, endpoints }: EndpointSlice, managedBy: string): PicturedSlice {
  const manager = metadata?.labels?.[LABEL_MANAGED_BY]
  return {
    name: printable(metadata?.name ?? ''),
    cells: (endpoints ?? []).map(stateOf).join(''),
    ...(manager !== managedBy && { manager: printable(manager ?? 'nobody') }),
  }
}

export function pictureOf(all: Iterable<PicturedSlice>): Picture {
  const sorted = [...all].sort((one, other) => (one.name < other.name ? -1 : 1))
  const endpoints: Record<State, number> = { r: 0, u: 0, t: 0 }
  const slices: PicturedSlice[] = []
  let cells = 0
  for (const slice of sorted) {
    for (const state of slice.cells as Iterable<State>) endpoints[state]++
    cells += slice.cells.length
    if (slices.length === 0 || (slices.length < MAX_SLICES && cells <= MAX_CELLS)) slices.push(slice)
  }
  return { slices, hidden: sorted.length - slices.length, endpoints }
}

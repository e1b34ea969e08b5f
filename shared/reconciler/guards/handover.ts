import { isOfOtherMode } from '../../changes/index.ts'
import { type EndpointSlice, isMirror, type Service } from '../../endpointslice/index.ts'
import type { Mode } from '../../settings/index.ts'
import type { ServiceEvent } from '../service-events.ts'
import { type HoldNote, holdNote } from './held-plan.ts'
import { readyAddresses, slicesByName } from './published/published-addresses.ts'

export interface LeftBehind {
  /** Not ours in this mode, or as another controller publishes it. */
  readonly service: Service
  /** The slices that we made. */
  readonly slices: readonly EndpointSlice[]
  /** The slices of every manager. */
  readonly everybodys: readonly EndpointSlice[]
  /** Absent: another controller publishes it, whatever the mode. */
  readonly mode?: Mode
}

/** Decision about slices that the mode would delete. */
type Handover =
  | { readonly kind: 'done' }
  /** They stay. */
  | ({ readonly kind: 'held' } & HoldNote)

/**
 * Decides whether slices of a Service that is not ours any more may go. If the other mode would keep them, or
 * they mirror Endpoints, one forgotten setting would delete the slices of a whole cluster, and its Services
 * would have no endpoints. So the slices stay until others publish all of their ready addresses, or a person
 * releases them. This hold never expires, as time does not put a mistake right.
 */
export function handoverOf({ service, slices, everybodys, mode }: LeftBehind, now: number): Handover {
  const isMeant = mode !== undefined && !mayBeMistaken({ service, slices, mode })
  if (isMeant || isPublished(slices, everybodys)) return { kind: 'done' }
  const note = holdNote(service, slices, now)
  return note === undefined ? { kind: 'done' } : { kind: 'held', ...note }
}

/**
 * Reports whether a setting may have changed that was not meant to: the mode, or `mirrorEndpoints`, without
 * which no slice is to mirror Endpoints.
 */
export const mayBeMistaken = ({
  service,
  slices,
  mode,
}: Omit<LeftBehind, 'everybodys' | 'mode'> & { readonly mode: Mode }): boolean =>
  isOfOtherMode(service, mode) || slices.some(isMirror)

/** Reports whether the others publish every ready address of these slices. */
function isPublished(slices: readonly EndpointSlice[], everybodys: readonly EndpointSlice[]): boolean {
  const names = slicesByName(slices)
  const others = slicesByName(everybodys.filter(({ metadata }) => !names.has(metadata?.name ?? '')))
  return readyAddresses(names).isSubsetOf(readyAddresses(others))
}

/**
 * @param since of the hold
 * @param mode absent: another controller publishes the object
 */
export function handoverEvent(since: string, slices: readonly EndpointSlice[], mode?: Mode): ServiceEvent {
  if (mode === undefined) return { type: 'Warning', reason: 'PlanHeld', message: claimedMessage(since) }
  const [cause, remedy] = slices.some(isMirror)
    ? [
        'the slices mirror Endpoints, which Sliceflow does not do without the setting mirrorEndpoints',
        'the setting was left out by mistake, set it again',
      ]
    : [
        `mode ${mode} would delete the slices, which mode ${mode === 'custom' ? 'replace' : 'custom'} would keep`,
        'the mode is a mistake, set it back',
      ]
  const message = `${cause}, and nobody else publishes their endpoints: held since ${since} until \`sliceflow release\`, or until others publish them; if ${remedy}`
  return { type: 'Warning', reason: 'PlanHeld', message }
}

const claimedMessage = (since: string): string =>
  `another controller publishes this EndpointSelector, but not all endpoints of our slices: these stay since ${since} until it does, or until somebody deletes the slices of one of the two`

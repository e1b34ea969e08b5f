import type { Endpoint } from '../../shared/endpointslice/index.ts'
import type { Cause, EndpointFields } from '../../shared/recording/index.ts'
import { counted } from '../terminal/index.ts'
import type { Changed, EndpointEvent, Left, Moved, Present } from './entry.ts'

/** Above this number, endpoints with the same event are summarized, with this number of addresses. */
const SHOWN = 5

/** Describes what became of endpoints, as `10.1.2.3 left: pod web-7 was deleted`; many alike in one line. */
export function describeEvents(events: readonly EndpointEvent[]): string[] {
  const alike = Map.groupBy(events, (event) => clauseOf(event, true))
  return [...alike].flatMap(([clause, group]) =>
    group.length > SHOWN
      ? [`${manyOf(group)}${clause}`]
      : group.map((event) => `${addressesOf(event)}${clauseOf(event, false)}`),
  )
}

/** Addresses of endpoints with one fate that a summary names; more are counted. */
const NAMED = 3

/** Describes what became of endpoints in one line, each fate once: for what shows a write as it happens. */
export function summarizeEvents(events: readonly EndpointEvent[]): string {
  const alike = Map.groupBy(events, (event) => clauseOf(event, true))
  const sentences = [...alike].map(([clause, group]) => {
    const [only, ...others] = group
    if (only !== undefined && others.length === 0) return `${addressesOf(only)}${clauseOf(only, false)}`
    return `${group.length > NAMED ? counted(group.length, 'endpoint') : group.map(addressesOf).join(', ')}${clause}`
  })
  return sentences.join('; ')
}

const addressesOf = ({ addresses }: EndpointEvent): string => addresses.join(',')

const manyOf = (group: readonly EndpointEvent[]): string =>
  `${group.slice(0, SHOWN).map(addressesOf).join(', ')} and ${group.length - SHOWN} more`

/** Writes the text after the address. For many endpoints it leaves out what only one of them has. */
function clauseOf(event: EndpointEvent, isOfMany: boolean): string {
  switch (event.event) {
    case 'Came':
      return ` came${presenceOf(event, isOfMany)}`
    case 'Found':
      return ` ${isOfMany ? 'are' : 'is'} there${presenceOf(event, isOfMany)}`
    case 'Left':
      return ` left${reasonOf(event, isOfMany)}`
    case 'Moved':
      return ` moved ${placeOf(event)}`
    case 'Changed':
      return changeOf(event, isOfMany)
  }
}

function presenceOf(event: Present, isOfMany: boolean): string {
  const state = event.ready ? 'ready' : 'not ready'
  if (event.pod === undefined) return event.ready ? '' : `, ${state}`
  return `: ${podOf(event, isOfMany)} ${isOfMany ? 'are' : 'is'} ${state}${versionOf(event, isOfMany)}`
}

const placeOf = ({ from, to }: Moved): string =>
  from === undefined ? `to slice ${to ?? 'of another name'}` : `from slice ${from}`

/** Cause of a Pod's departure, as a clause for one Pod and for many. */
const POD_CAUSES: Readonly<Partial<Record<Cause, readonly [string, string]>>> = {
  Deleted: ['was deleted', 'were deleted'],
  NotSelected: ['is not selected any longer', 'are not selected any longer'],
  Gone: ['was deleted, or is not selected any longer', 'were deleted, or are not selected any longer'],
  Replaced: ['was replaced by another one of its name', 'were replaced by others of their names'],
  AddressChanged: ['has another address', 'have other addresses'],
  Terminal: ['has ended', 'have ended'],
  NoAddress: ['has no address', 'have no addresses'],
  NodeNotFound: ['is on a node that does not exist', 'are on nodes that do not exist'],
  Malformed: ['cannot be understood', 'cannot be understood'],
  RefusedAddress: ['has an address that is refused', 'have addresses that are refused'],
}

const CAUSES: Readonly<Partial<Record<Cause, string>>> = {
  NotNamed: 'no pod, no annotation and no Endpoints of the Service provide it',
  ServiceDeleted: 'the Service was deleted',
  ServiceUnmanaged: 'the Service is not managed any longer',
  AddressTypeDropped: 'the Service has no addresses of this type any longer',
  ClusterUnreachable: 'the cluster of its pods cannot be reached, or refuses',
}

/** Says why an endpoint left. It is empty if another client removed it: the line about the slice says so. */
function reasonOf(event: Left, isOfMany: boolean): string {
  const { cause } = event
  if (cause === undefined) return ''
  const [one, many] = POD_CAUSES[cause] ?? []
  // Records of a later version may have other causes.
  if (one === undefined) return `: ${CAUSES[cause] ?? cause}`
  return `: ${podOf(event, isOfMany)} ${isOfMany ? many : one}${versionOf(event, isOfMany)}`
}

function changeOf(event: Changed, isOfMany: boolean): string {
  const what = changesOf(event.from, event.to).join(', ')
  if (event.pod === undefined) return ` ${what}`
  return `: ${podOf(event, isOfMany)} ${what}${versionOf(event, isOfMany)}`
}

const podOf = ({ pod }: EndpointEvent, isOfMany: boolean): string => {
  if (pod === undefined) return isOfMany ? 'the objects behind them' : 'the object behind it'
  return isOfMany ? 'their pods' : `pod ${pod}`
}

const versionOf = ({ podVersion }: EndpointEvent, isOfMany: boolean): string =>
  isOfMany || podVersion === undefined ? '' : ` (version ${podVersion})`

function changesOf({ conditions: was, ...from }: EndpointFields, to: EndpointFields): string[] {
  const { conditions: is, ...now } = to
  const changes = was === undefined && is === undefined ? [] : conditionChanges(was, is)
  const names = new Set([...Object.keys(from), ...Object.keys(now)]) as Set<keyof typeof from>
  for (const name of names)
    changes.push(`changed ${LABELS[name] ?? name} ${valueText(from, name)} → ${valueText(now, name)}`)
  return changes
}

type Conditions = EndpointFields['conditions']

/** Describes changed conditions. An absent one means, as to consumers: ready, serving, not terminating. */
function conditionChanges(was: Conditions, is: Conditions): string[] {
  const [wasReady, isReady] = [was?.ready !== false, is?.ready !== false]
  const [wasServing, isServing] = [was?.serving ?? wasReady, is?.serving ?? isReady]
  const [wasEnding, isEnding] = [was?.terminating === true, is?.terminating === true]
  const changes = [
    ...(wasEnding === isEnding ? [] : [isEnding ? 'began to terminate' : 'terminates no longer']),
    ...(wasReady === isReady ? [] : [isReady ? 'became ready' : 'became unready']),
    ...(wasServing === isServing || (wasReady !== isReady && isServing === isReady)
      ? []
      : [isServing ? 'began to serve' : 'stopped serving']),
  ]
  return changes.length > 0 ? changes : ['has other words for the same conditions']
}

const LABELS: Readonly<Partial<Record<keyof EndpointFields, string>>> = {
  nodeName: 'node',
  targetRef: 'object',
}

function valueText(fields: EndpointFields, name: keyof EndpointFields): string {
  const value = fields[name]
  if (value === undefined || value === null) return 'none'
  if (typeof value === 'string') return value
  return name === 'hints' ? hintsText(fields.hints) : targetText(fields.targetRef)
}

function hintsText(hints: Endpoint['hints']): string {
  const names = (targets: readonly { readonly name: string }[] = []): string[] =>
    targets.map(({ name }) => name)
  return [...names(hints?.forZones), ...names(hints?.forNodes)].join('+') || 'none'
}

const targetText = (target: Endpoint['targetRef']): string =>
  `${target?.kind ?? 'object'} ${target?.name ?? ''} of uid ${target?.uid ?? 'unknown'}`

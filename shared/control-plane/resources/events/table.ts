import { isObject, numberAt, objectAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { ageSince } from '../../apiserver/table/format.ts'

/** Returns the cells of an event of the core group. `now` is in milliseconds since 1970. */
export function eventCells(event: KubeObject, now: number) {
  const involved = objectAt(event, 'involvedObject')
  const source = objectAt(event, 'source')
  const first = stringAt(event, 'firstTimestamp') || stringAt(event, 'eventTime')
  const reporter = [
    stringAt(source, 'component') || stringAt(event, 'reportingComponent'),
    stringAt(source, 'host') || stringAt(event, 'reportingInstance'),
  ]
  const kind = stringAt(involved, 'kind').toLowerCase()
  const name = stringAt(involved, 'name')
  return [
    ageSince(lastSeen(event, first), now),
    stringAt(event, 'type'),
    stringAt(event, 'reason'),
    name === '' ? kind : `${kind}/${name}`,
    stringAt(involved, 'fieldPath'),
    reporter[1] === '' ? (reporter[0] ?? '') : reporter.join(', '),
    stringAt(event, 'message').trim(),
    ageSince(first, now),
    countOf(event),
    event.metadata.name ?? '',
  ]
}

function lastSeen(event: KubeObject, first: string): string {
  if (isObject(event.series)) return stringAt(event.series, 'lastObservedTime')
  return stringAt(event, 'lastTimestamp') || first
}

/** Returns the count of an event. One of the newer API that has happened once has none. */
function countOf(event: KubeObject): number {
  if (isObject(event.series)) return numberAt(event.series, 'count') ?? 0
  return numberAt(event, 'count') || 1
}

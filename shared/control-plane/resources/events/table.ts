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
  return {
    'Last Seen': ageSince(lastSeen(event, first), now),
    Type: stringAt(event, 'type'),
    Reason: stringAt(event, 'reason'),
    Object: name === '' ? kind : `${kind}/${name}`,
    Subobject: stringAt(involved, 'fieldPath'),
    Source: reporter[1] === '' ? (reporter[0] ?? '') : reporter.join(', '),
    Message: stringAt(event, 'message').trim(),
    'First Seen': ageSince(first, now),
    Count: countOf(event),
  }
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

import { type FieldError, invalidValue } from '../errors/index.ts'
import { numberAt, objectAt, stringAt } from '../json.ts'
import type { KubeObject } from '../objects.ts'
import type { ResourceDefinition } from '../registry/index.ts'
import { ageSince, tableOf } from '../table/index.ts'

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

export const events: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  singular: 'event',
  namespaced: true,
  shortNames: ['ev'],
  schema: 'core.Event',
  createOnUpdate: true,
  selectableFields: {
    ...Object.fromEntries(
      INVOLVED.map((member) => [
        `involvedObject.${member}`,
        (object: KubeObject) => stringAt(objectAt(object, 'involvedObject'), member),
      ]),
    ),
    reason: (object) => stringAt(object, 'reason'),
    reportingComponent: (object) => stringAt(object, 'reportingComponent'),
    source: (object) =>
      stringAt(objectAt(object, 'source'), 'component') || stringAt(object, 'reportingComponent'),
    type: (object) => stringAt(object, 'type'),
  },
  table: tableOf('events', eventCells),
  strategy: { validate: eventErrors },
}

function eventCells(object: KubeObject, now: number) {
  const involved = objectAt(object, 'involvedObject')
  const source = objectAt(object, 'source')
  const first = stringAt(object, 'firstTimestamp') || stringAt(object, 'eventTime')
  const last = stringAt(object, 'lastTimestamp') || first
  const component = [
    stringAt(source, 'component') || stringAt(object, 'reportingComponent'),
    stringAt(source, 'host'),
  ]
  return [
    ageSince(last, now),
    stringAt(object, 'type'),
    stringAt(object, 'reason'),
    `${stringAt(involved, 'kind').toLowerCase()}/${stringAt(involved, 'name')}`,
    stringAt(involved, 'fieldPath'),
    component.filter((part) => part !== '').join(', '),
    stringAt(object, 'message').trim(),
    ageSince(first, now),
    numberAt(object, 'count') ?? 1,
    object.metadata.name ?? '',
  ]
}

function eventErrors(object: KubeObject): FieldError[] {
  const involved = stringAt(objectAt(object, 'involvedObject'), 'namespace')
  const own = object.metadata.namespace ?? ''
  // Objects without a namespace have their events in `default`, or anywhere.
  if (involved === own || (involved === '' && own !== '')) return []
  return [invalidValue('involvedObject.namespace', involved, 'does not match event.namespace')]
}

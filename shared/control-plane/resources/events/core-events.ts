import { objectAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { errorsBy, type Field } from '../../apimachinery/validation/field.ts'
import { pathSegmentName } from '../../apimachinery/validation/names.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { builtInKind } from '../built-in-kind.ts'
import { eventCells } from './table.ts'
import { validateEvent } from './validation.ts'

/** Members of the object that an event is about, as field selectors name them. */
export const REFERENCE_MEMBERS: readonly string[] = [
  'kind',
  'namespace',
  'name',
  'uid',
  'apiVersion',
  'resourceVersion',
  'fieldPath',
]

/** Events of the core group: what they say is hardly checked, for clients as old as the API. */
export const events: ResourceDefinition = {
  ...builtInKind('', 'Event'),
  namespaced: true,
  shortNames: ['ev'],
  finalizers: 'any',
  nameRule: pathSegmentName,
  createOnUpdate: true,
  selectableFields: {
    ...Object.fromEntries(
      REFERENCE_MEMBERS.map((member) => [
        `involvedObject.${member}`,
        (event: KubeObject) => stringAt(objectAt(event, 'involvedObject'), member),
      ]),
    ),
    reason: (event) => stringAt(event, 'reason'),
    reportingComponent: (event) => stringAt(event, 'reportingComponent'),
    source: (event) =>
      stringAt(objectAt(event, 'source'), 'component') || stringAt(event, 'reportingComponent'),
    type: (event) => stringAt(event, 'type'),
  },
  table: tableOf('events', eventCells),
  strategy: {
    validate: errorsBy((event: Field) => validateEvent(event, 'reportingComponent')),
  },
}

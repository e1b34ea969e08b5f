import { objectAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { errorsBy, type Field } from '../../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { canonical } from '../../apiserver/schema/decode.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { builtInKind } from '../built-in-kind.ts'
import { events, REFERENCE_MEMBERS } from './core-events.ts'
import { eventCells } from './table.ts'
import { validateEvent, validateStrictly, validateStrictUpdate } from './validation.ts'

/** Names of an event's members in the core group, by their names in events.k8s.io. */
const CORE_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    reportingController: 'reportingComponent',
    regarding: 'involvedObject',
    note: 'message',
    deprecatedSource: 'source',
    deprecatedFirstTimestamp: 'firstTimestamp',
    deprecatedLastTimestamp: 'lastTimestamp',
    deprecatedCount: 'count',
  }),
)
const OWN_NAMES: ReadonlyMap<string, string> = new Map([...CORE_NAMES].map(([own, core]) => [core, own]))

const toCore = (event: KubeObject): KubeObject => renamed(event, CORE_NAMES, 'v1', 'core.Event')
const fromCore = (event: KubeObject): KubeObject =>
  renamed(event, OWN_NAMES, 'events.k8s.io/v1', 'events.Event')

function renamed(
  event: KubeObject,
  names: ReadonlyMap<string, string>,
  apiVersion: string,
  struct: string,
): KubeObject {
  const members = Object.entries(event).map(([member, value]) => [names.get(member) ?? member, value])
  const { metadata } = event
  return { ...canonical({ ...Object.fromEntries(members), apiVersion }, struct), metadata }
}

/** Events of events.k8s.io: those of the core group under other names, and strictly checked (KEP-383). */
export const eventsOfGroup: ResourceDefinition = {
  ...builtInKind('events.k8s.io', 'Event'),
  shares: { group: '', resource: 'events', fromStorage: fromCore, toStorage: toCore },
  namespaced: true,
  ...(events.shortNames && { shortNames: events.shortNames }),
  createOnUpdate: true,
  selectableFields: {
    ...Object.fromEntries(
      REFERENCE_MEMBERS.map((member) => [
        `regarding.${member}`,
        (event: KubeObject) => stringAt(objectAt(event, 'regarding'), member),
      ]),
    ),
    reason: (event) => stringAt(event, 'reason'),
    reportingController: (event) => stringAt(event, 'reportingController'),
    type: (event) => stringAt(event, 'type'),
  },
  table: tableOf('events', (event, now) => eventCells(toCore(event), now)),
  strategy: {
    validateCreate: (event) =>
      errorsBy((core: Field) => {
        validateEvent(core, 'reportingController')
        validateStrictly(core)
      })(toCore(event)),
    validateUpdate: (event, old) =>
      errorsBy((core: Field) => {
        validateEvent(core, 'reportingController')
        validateStrictUpdate(core, toCore(old))
      })(toCore(event)),
  },
}

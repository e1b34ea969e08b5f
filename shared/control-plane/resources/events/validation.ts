import { labelKey, subdomainName } from '../../../kubernetes/index.ts'
import { type FieldError, invalidValue, required } from '../../apimachinery/errors/field.ts'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, numberAt, objectAt, sameJson, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'

/** Longest texts, in characters, by the members of events.k8s.io. */
const LIMITS: readonly (readonly [member: string, maximum: number])[] = [
  ['reportingInstance', 128],
  ['action', 128],
  ['reason', 128],
]
const NOTE_LIMIT = 1024

/**
 * Validates an event of either group, in its core form (upstream's ValidateEventCreate).
 * @param reporter the group's name for the controller that reports
 */
export function eventErrors(
  event: KubeObject,
  reporter: 'reportingComponent' | 'reportingController',
): FieldError[] {
  const { namespace = '' } = event.metadata
  return [
    ...namespaceErrors(event, namespace),
    // Events of the older form have no time of their own.
    ...(stringAt(event, 'eventTime') === '' ? [] : reportErrors(event, reporter)),
    ...subdomainName(namespace).map((text) => invalidValue('namespace', namespace, text)),
  ]
}

function namespaceErrors(event: KubeObject, namespace: string): FieldError[] {
  const involved = stringAt(objectAt(event, 'involvedObject'), 'namespace')
  const isTimed = stringAt(event, 'eventTime') !== ''
  // Objects without a namespace have their events in one that every cluster has.
  const isRight =
    involved === ''
      ? namespace === 'default' || (isTimed && namespace === 'kube-system')
      : isTimed || involved === namespace
  return isRight ? [] : [invalidValue('involvedObject.namespace', involved, 'does not match event.namespace')]
}

function reportErrors(event: KubeObject, reporter: string): FieldError[] {
  const component = stringAt(event, 'reportingComponent')
  return [
    ...(component === '' ? [required(reporter)] : []),
    ...labelKey(component).map((text) => invalidValue(reporter, component, text)),
    ...LIMITS.flatMap(([member, maximum]) => [
      ...(stringAt(event, member) === '' ? [required(member)] : []),
      ...lengthErrors(event, member, maximum),
    ]),
    ...lengthErrors(event, 'message', NOTE_LIMIT),
  ]
}

function lengthErrors(event: KubeObject, member: string, maximum: number): FieldError[] {
  return Buffer.byteLength(stringAt(event, member)) > maximum
    ? [invalidValue(member, '', `can have at most ${maximum} characters`)]
    : []
}

/** Validates new events as events.k8s.io does, beside `eventErrors`. */
export function strictCreateErrors(event: KubeObject): FieldError[] {
  const type = stringAt(event, 'type')
  const source = objectAt(event, 'source')
  const unset = (member: string, isSet: boolean) =>
    isSet ? [invalidValue(member, '', 'needs to be unset')] : []
  return [
    ...seriesErrors(event),
    ...(stringAt(event, 'eventTime') === '' ? [required('eventTime')] : []),
    ...(type === 'Normal' || type === 'Warning'
      ? []
      : [invalidValue('type', '', `has invalid value: ${type}`)]),
    ...unset('firstTimestamp', stringAt(event, 'firstTimestamp') !== ''),
    ...unset('lastTimestamp', stringAt(event, 'lastTimestamp') !== ''),
    ...unset('count', (numberAt(event, 'count') ?? 0) !== 0),
    ...unset('source', stringAt(source, 'component') !== '' || stringAt(source, 'host') !== ''),
  ]
}

/** Validates updates as events.k8s.io does, beside `eventErrors`: only the series of an event may change. */
export function strictUpdateErrors(event: KubeObject, old: KubeObject): FieldError[] {
  const immutable = (member: string, shown: (value: JsonValue | undefined) => JsonValue, name = member) =>
    sameJson(event[member], old[member])
      ? []
      : [invalidValue(name, shown(event[member]), 'field is immutable')]
  return [
    ...(sameJson(event.series, old.series) ? [] : seriesErrors(event)),
    ...immutable('involvedObject', goReference),
    ...immutable('reason', text),
    ...immutable('message', text),
    ...immutable('source', goSource),
    ...immutable('firstTimestamp', orNull),
    ...immutable('lastTimestamp', orNull),
    ...immutable('count', (value) => value ?? 0),
    ...immutable('reason', text),
    ...immutable('type', text),
    ...(micros(event) === micros(old) ? [] : immutable('eventTime', orNull)),
    ...immutable('action', text),
    ...immutable('related', (value) => (isObject(value) ? goReference(value) : null)),
    ...immutable('reportingComponent', text, 'reportingController'),
    ...immutable('reportingInstance', text),
  ]
}

function seriesErrors({ series }: KubeObject): FieldError[] {
  if (!isObject(series)) return []
  return [
    ...((numberAt(series, 'count') ?? 0) < 2
      ? [invalidValue('series.count', '', 'should be at least 2')]
      : []),
    ...(stringAt(series, 'lastObservedTime') === '' ? [required('series.lastObservedTime')] : []),
  ]
}

/** Cuts the time to microseconds. Clients may send more digits, and do not get them back. */
const micros = (event: KubeObject): string => stringAt(event, 'eventTime').replace(/(\.\d{6})\d*/, '$1')

const text = (value: JsonValue | undefined): JsonValue => value ?? ''
const orNull = (value: JsonValue | undefined): JsonValue => value ?? null

/** Returns a reference as upstream's errors show it: its internal form, with the Go names of fields. */
function goReference(value: JsonValue | undefined): JsonObject {
  const reference = isObject(value) ? value : {}
  return {
    Kind: stringAt(reference, 'kind'),
    Namespace: stringAt(reference, 'namespace'),
    Name: stringAt(reference, 'name'),
    UID: stringAt(reference, 'uid'),
    APIVersion: stringAt(reference, 'apiVersion'),
    ResourceVersion: stringAt(reference, 'resourceVersion'),
    FieldPath: stringAt(reference, 'fieldPath'),
  }
}

function goSource(value: JsonValue | undefined): JsonObject {
  const source = isObject(value) ? value : {}
  return { Component: stringAt(source, 'component'), Host: stringAt(source, 'host') }
}

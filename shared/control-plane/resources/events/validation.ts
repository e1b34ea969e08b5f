import { labelKey, subdomainName } from '../../../kubernetes/index.ts'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, sameJson, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Field } from '../../apimachinery/validation/field.ts'

/** Longest texts, in bytes. */
const TEXT_LIMIT = 128
const NOTE_LIMIT = 1024

/**
 * Validates an event of either group, in its core form (upstream's ValidateEventCreate).
 * @param reporter the group's name for the controller that reports
 */
export function validateEvent(event: Field, reporter: 'reportingComponent' | 'reportingController'): void {
  const namespace = event.child('metadata', 'namespace').as('namespace')
  validateNamespace(event, namespace.text)
  // Events of the older form have no time of their own.
  if (event.child('eventTime').text !== '') validateReport(event, reporter)
  namespace.follows(subdomainName)
}

function validateNamespace(event: Field, namespace: string): void {
  const involved = event.child('involvedObject', 'namespace')
  const isTimed = event.child('eventTime').text !== ''
  // Objects without a namespace have their events in one that every cluster has.
  const isRight =
    involved.text === ''
      ? namespace === 'default' || (isTimed && namespace === 'kube-system')
      : isTimed || involved.text === namespace
  if (!isRight) involved.invalid('does not match event.namespace', involved.text)
}

function validateReport(event: Field, reporter: string): void {
  const component = event.child('reportingComponent').as(reporter)
  component.notEmpty()
  component.follows(labelKey)
  for (const member of ['reportingInstance', 'action', 'reason']) {
    event.child(member).notEmpty()
    validateLength(event.child(member), TEXT_LIMIT)
  }
  validateLength(event.child('message'), NOTE_LIMIT)
}

function validateLength(field: Field, maximum: number): void {
  if (Buffer.byteLength(field.text) > maximum) field.invalid(`can have at most ${maximum} characters`, '')
}

/** Validates new events as events.k8s.io does, beside `validateEvent`. */
export function validateStrictly(event: Field): void {
  const [type, source] = [event.child('type'), event.child('source')]
  validateSeries(event)
  event.child('eventTime').notEmpty()
  if (type.text !== 'Normal' && type.text !== 'Warning') type.invalid(`has invalid value: ${type.text}`, '')
  const isSet = {
    firstTimestamp: event.child('firstTimestamp').text !== '',
    lastTimestamp: event.child('lastTimestamp').text !== '',
    count: event.child('count').number !== 0,
    source: source.child('component').text !== '' || source.child('host').text !== '',
  }
  for (const [member, set] of Object.entries(isSet))
    if (set) event.child(member).invalid('needs to be unset', '')
}

/** Members that stay, in upstream's order, and how its errors show them. */
const IMMUTABLE: readonly (readonly [member: string, shown: (value: JsonValue | undefined) => JsonValue])[] =
  [
    ['involvedObject', goReference],
    ['reason', text],
    ['message', text],
    ['source', goSource],
    ['firstTimestamp', orNull],
    ['lastTimestamp', orNull],
    ['count', (value) => value ?? 0],
    ['reason', text],
    ['type', text],
    ['eventTime', orNull],
    ['action', text],
    ['related', (value) => (isObject(value) ? goReference(value) : null)],
    ['reportingComponent', text],
    ['reportingInstance', text],
  ]

/** Validates updates as events.k8s.io does, beside `validateEvent`: only the series may change. */
export function validateStrictUpdate(event: Field, old: KubeObject): void {
  if (!sameJson(event.child('series').value, old.series)) validateSeries(event)
  for (const [member, shown] of IMMUTABLE) {
    const { value } = event.child(member)
    const field = event.child(member === 'reportingComponent' ? 'reportingController' : member)
    const isSame =
      member === 'eventTime' ? micros(value) === micros(old.eventTime) : sameJson(value, old[member])
    if (!isSame) field.invalid('field is immutable', shown(value))
  }
}

function validateSeries(event: Field): void {
  const series = event.child('series')
  if (!series.ifObject) return
  if (series.child('count').number < 2) series.child('count').invalid('should be at least 2', '')
  series.child('lastObservedTime').notEmpty()
}

/** Cuts the time to microseconds. Clients may send more digits, and do not get them back. */
const micros = (time: JsonValue | undefined): string => String(time ?? '').replace(/(\.\d{6})\d*/, '$1')

function text(value: JsonValue | undefined): JsonValue {
  return value ?? ''
}

function orNull(value: JsonValue | undefined): JsonValue {
  return value ?? null
}

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

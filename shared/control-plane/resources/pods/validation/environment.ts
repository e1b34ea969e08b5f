import { configKey, labelKey, type NameRule, subdomainName } from '../../../../kubernetes/index.ts'
import { type FieldError, invalidValue, notSupported, required } from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { objectsAt, stringAt } from '../../../apimachinery/json/values.ts'
import { presentAt, ruled, ruledAndRequired } from './checks.ts'

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef']
const NO_SOURCE =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
const SEVERAL = 'may not have more than one field specified at a time'
/** Fields that a variable can have, in the order in which errors name them. */
const FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]
/** Fields that there are, but not for variables. */
const OTHER_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]
const AMOUNTS = ['limits', 'requests'].flatMap((part) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((resource) => `${part}.${resource}`),
)

const variableName: NameRule = (value) =>
  /^[ -<>-~]+$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"]

/** Validates the variables of a container (upstream: ValidateEnv and ValidateEnvFrom). */
export function environmentErrors(container: JsonObject, at: string): FieldError[] {
  return [
    ...objectsAt(container, 'env').flatMap((variable, index) => [
      ...ruledAndRequired(`${at}.env[${index}].name`, stringAt(variable, 'name'), variableName),
      ...sourceErrors(variable, `${at}.env[${index}].valueFrom`),
    ]),
    ...objectsAt(container, 'envFrom').flatMap((source, index) => [
      ...ruled(`${at}.envFrom[${index}].prefix`, stringAt(source, 'prefix'), variableName),
      ...allOfErrors(source, `${at}.envFrom`, index),
    ]),
  ]
}

function sourceErrors(variable: JsonObject, at: string): FieldError[] {
  const source = presentAt(variable, 'valueFrom')
  if (!source) return []
  const [field, amount] = [presentAt(source, 'fieldRef'), presentAt(source, 'resourceFieldRef')]
  return [
    ...(field ? fieldErrors(field, `${at}.fieldRef`) : []),
    ...(amount ? amountErrors(stringAt(amount, 'resource'), `${at}.resourceFieldRef.resource`) : []),
    ...['configMapKeyRef', 'secretKeyRef'].flatMap((member) => {
      const key = presentAt(source, member)
      return key ? keyErrors(key, `${at}.${member}`) : []
    }),
    ...countErrors(variable, source, at),
  ]
}

function countErrors(variable: JsonObject, source: JsonObject, at: string): FieldError[] {
  const count = SOURCES.filter((member) => presentAt(source, member)).length
  if (count === 0) return [invalidValue(at, '', NO_SOURCE)]
  if (stringAt(variable, 'value') !== '')
    return [invalidValue(at, '', 'may not be specified when `value` is not empty')]
  return count > 1 ? [invalidValue(at, '', SEVERAL)] : []
}

function fieldErrors(field: JsonObject, at: string): FieldError[] {
  const [version, path] = [stringAt(field, 'apiVersion'), stringAt(field, 'fieldPath')]
  if (path === '') return [required(`${at}.fieldPath`)]
  const wrong = (why: string) => [invalidValue(`${at}.fieldPath`, path, `error converting fieldPath: ${why}`)]
  if (version !== 'v1') return wrong(`unsupported pod version: ${version}`)
  const [, whole, key = ''] = /^([\s\S]+?)\['([\s\S]*)'\]$/.exec(path) ?? []
  if (whole === 'metadata.annotations') return labelNameErrors(key.toLowerCase(), at)
  if (whole === 'metadata.labels') return labelNameErrors(key, at)
  if (whole !== undefined) return wrong(`field label does not support subscript: ${path}`)
  if (FIELDS.includes(path) || path === 'spec.host') return []
  return OTHER_FIELDS.includes(path)
    ? [notSupported(`${at}.fieldPath`, path, FIELDS)]
    : wrong(`field label not supported: ${path}`)
}

const labelNameErrors = (key: string, at: string): FieldError[] =>
  labelKey(key).map((text) => invalidValue(at, key, text))

function amountErrors(resource: string, field: string): FieldError[] {
  if (resource === '') return [required(field)]
  const isKnown = AMOUNTS.includes(resource) || /^(?:requests|limits)\.hugepages-/.test(resource)
  return isKnown ? [] : [notSupported(field, resource, AMOUNTS)]
}

function keyErrors(source: JsonObject, at: string): FieldError[] {
  const name = stringAt(source, 'name')
  return [
    ...subdomainName(name).map((text) => invalidValue(`${at}.name`, name, text)),
    ...ruledAndRequired(`${at}.key`, stringAt(source, 'key'), configKey),
  ]
}

function allOfErrors(source: JsonObject, list: string, index: number): FieldError[] {
  const named = ['configMapRef', 'secretRef'].filter((member) => presentAt(source, member))
  const errors = named.flatMap((member) =>
    ruledAndRequired(
      `${list}[${index}].${member}.name`,
      stringAt(presentAt(source, member), 'name'),
      subdomainName,
    ),
  )
  if (named.length === 1) return errors
  const why = named.length === 0 ? 'must specify one of: `configMapRef` or `secretRef`' : SEVERAL
  return [...errors, invalidValue(list, '', why)]
}

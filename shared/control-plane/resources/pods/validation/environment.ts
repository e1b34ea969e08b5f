import { configKey, labelKey, type NameRule, subdomainName } from '../../../../kubernetes/index.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef']
const NO_SOURCE =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
const SEVERAL = 'may not have more than one field specified at a time'
const NOT_CONVERTED = 'error converting fieldPath'
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
export function validateEnvironment(container: Field): void {
  for (const variable of container.child('env').items()) {
    variable.child('name').notEmpty()?.follows(variableName)
    if (variable.child('valueFrom').ifObject) validateSource(variable)
  }
  const all = container.child('envFrom')
  for (const source of all.items()) {
    source.child('prefix').ifFilled?.follows(variableName)
    validateAllOf(source, all)
  }
}

function validateSource(variable: Field): void {
  const source = variable.child('valueFrom')
  const [field, amount] = [source.child('fieldRef'), source.child('resourceFieldRef', 'resource')]
  if (field.ifObject) validateField(field)
  if (source.child('resourceFieldRef').ifObject && amount.notEmpty() && !isAmount(amount.text))
    amount.notSupported(AMOUNTS)
  for (const key of ['configMapKeyRef', 'secretKeyRef'].map((member) => source.child(member))) {
    if (!key.ifObject) continue
    key.child('name').follows(subdomainName)
    key.child('key').notEmpty()?.follows(configKey)
  }
  const count = SOURCES.filter((member) => source.child(member).ifObject).length
  if (count === 0) source.invalid(NO_SOURCE, '')
  else if (variable.child('value').text !== '')
    source.invalid('may not be specified when `value` is not empty', '')
  else if (count > 1) source.invalid(SEVERAL, '')
}

const isAmount = (resource: string): boolean =>
  AMOUNTS.includes(resource) || /^(?:requests|limits)\.hugepages-/.test(resource)

function validateField(field: Field): void {
  const [version, path] = [field.child('apiVersion').text, field.child('fieldPath')]
  if (!path.notEmpty()) return
  const [, whole, key = ''] = /^([\s\S]+?)\['([\s\S]*)'\]$/.exec(path.text) ?? []
  if (version !== 'v1') path.invalid(`${NOT_CONVERTED}: unsupported pod version: ${version}`)
  else if (whole === 'metadata.annotations') field.with(key.toLowerCase()).follows(labelKey)
  else if (whole === 'metadata.labels') field.with(key).follows(labelKey)
  else if (whole !== undefined)
    path.invalid(`${NOT_CONVERTED}: field label does not support subscript: ${path.text}`)
  else if (OTHER_FIELDS.includes(path.text)) path.notSupported(FIELDS)
  else if (!FIELDS.includes(path.text) && path.text !== 'spec.host')
    path.invalid(`${NOT_CONVERTED}: field label not supported: ${path.text}`)
}

function validateAllOf(source: Field, list: Field): void {
  const named = ['configMapRef', 'secretRef'].filter((member) => source.child(member).ifObject)
  for (const member of named) source.child(member, 'name').notEmpty()?.follows(subdomainName)
  if (named.length === 0) list.invalid('must specify one of: `configMapRef` or `secretRef`', '')
  if (named.length > 1) list.invalid(SEVERAL, '')
}

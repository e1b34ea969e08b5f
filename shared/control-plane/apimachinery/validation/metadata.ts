import { labelKey, labelName, labelValue, type NameRule } from '../../../kubernetes/index.ts'
import { tooLong } from '../errors/field.ts'
import { objectAt, stringAt } from '../json/values.ts'
import { finalizersOf, type KubeObject, stringMap } from '../objects.ts'
import { errorsBy, type Field } from './field.ts'

/** All annotations together, keys and values: 256 KiB. */
const ANNOTATIONS_LIMIT = 256 * 1024

/** Whether finalizers need a domain and a slash. */
export type FinalizerRule = 'qualified' | 'any'

/** Validates `metadata` on creation. */
export const metadataErrors = errorsBy(
  (object, namespaced: boolean, nameRule: NameRule, finalizers: FinalizerRule = 'qualified'): void => {
    const metadata = object.child('metadata')
    validateName(metadata, nameRule)
    const namespace = metadata.child('namespace')
    if (namespaced) namespace.follows(labelName)
    else if (namespace.text !== '') namespace.forbidden('not allowed on this type')
    validateCommon(metadata, finalizers)
  },
)

function validateName(metadata: Field, nameRule: NameRule): void {
  const [name, generateName] = [metadata.child('name'), metadata.child('generateName')]
  // A prefix may end in what a name may not: the generated part follows it.
  const prefix = generateName.text.replace(/-$/, 'a')
  if (prefix !== '') for (const text of nameRule(prefix)) generateName.invalid(text)
  if (name.notEmpty('name or generateName is required')) name.follows(nameRule)
}

function validateCommon(metadata: Field, finalizers: FinalizerRule): void {
  validateLabels(metadata.child('labels'))
  validateAnnotations(metadata.child('annotations'))
  validateOwners(metadata.child('ownerReferences'))
  const list = metadata.child('finalizers')
  const names = list.strings
  for (const name of names) list.with(name).follows(labelKey)
  // Dependents are either left behind or deleted first.
  if (names.includes('orphan') && names.includes('foregroundDeletion'))
    list.invalid('finalizer orphan and foregroundDeletion cannot be both set', names)
  if (finalizers !== 'any') for (const finalizer of list.items()) validateQualified(finalizer)
}

/** Validates keys and values of a map of labels. */
export function validateLabels(labels: Field): void {
  for (const [key, value] of Object.entries(stringMap(labels.value))) {
    labels.with(key).follows(labelKey)
    labels.with(value).follows(labelValue)
  }
}

/** Validates keys of a map of annotations, and its size. */
export function validateAnnotations(annotations: Field): void {
  let size = 0
  for (const [key, value] of Object.entries(stringMap(annotations.value))) {
    for (const text of labelKey(key.toLowerCase())) annotations.invalid(text, key)
    size += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  if (size > ANNOTATIONS_LIMIT) annotations.errors.push(tooLong(annotations.path, ANNOTATIONS_LIMIT))
}

function validateOwners(owners: Field): void {
  for (const owner of owners.items()) {
    for (const member of ['apiVersion', 'kind', 'name', 'uid']) {
      const why = `${member === 'apiVersion' ? 'version ' : ''}must not be empty`
      const field = owner.child(member).as(`${owners.path}.${member}`)
      if (field.text === '') field.invalid(why, '')
    }
    // Events own nothing (upstream's BannedOwners).
    const { apiVersion, kind } = owner.object
    if (apiVersion === 'v1' && kind === 'Event')
      owners.invalid('/v1, Kind=Event is disallowed from being an owner', owner.value)
  }
  const controllers = owners.items().filter((owner) => owner.object.controller === true)
  const [first, ...others] = controllers.map(
    ({ object }) => `${stringAt(object, 'kind')}/${stringAt(object, 'name')}`,
  )
  for (const other of others)
    owners.invalid(
      `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${other}`,
    )
}

const STANDARD_FINALIZERS = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

/** Refuses a finalizer without a domain that is not one of Kubernetes' own. */
export function validateQualified(finalizer: Field): void {
  if (finalizer.text.includes('/') || STANDARD_FINALIZERS.has(finalizer.text)) return
  finalizer.invalid('name is neither a standard finalizer name nor is it fully qualified')
}

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]

/** Validates `metadata` on update, against the stored object. */
export const metadataUpdateErrors = errorsBy(
  (object, old: KubeObject, finalizers: FinalizerRule = 'qualified'): void => {
    const metadata = object.child('metadata')
    if (old.metadata.deletionTimestamp) validateNoNewFinalizers(metadata.child('finalizers'), old)
    for (const member of IMMUTABLE) metadata.child(member).unchanged(objectAt(old, 'metadata')[member])
    validateCommon(metadata, finalizers)
  },
)

function validateNoNewFinalizers(finalizers: Field, old: KubeObject): void {
  const known = new Set(finalizersOf(old))
  const added = finalizers.strings.filter((name) => !known.has(name)).sort()
  if (added.length === 0) return
  const listed = added.map((name) => JSON.stringify(name)).join(', ')
  finalizers.forbidden(
    `no new finalizers can be added if the object is being deleted, found new finalizers []string{${listed}}`,
  )
}

import { labelKey, labelName, labelValue, type NameRule } from '../../../kubernetes/index.ts'
import { type FieldError, forbiddenField, invalidValue, required, tooLong } from '../errors/field.ts'
import type { JsonObject } from '../json/exact-numbers.ts'
import { objectsAt, sameJson, stringAt } from '../json/values.ts'
import { annotationsOf, finalizersOf, type KubeObject, labelsOf } from '../objects.ts'

/** All annotations together, keys and values: 256 KiB. */
const ANNOTATIONS_LIMIT = 256 * 1024

/** Whether finalizers need a domain and a slash. */
export type FinalizerRule = 'qualified' | 'any'

/** Validates `metadata` on creation. */
export function metadataErrors(
  object: KubeObject,
  namespaced: boolean,
  nameRule: NameRule,
  finalizers: FinalizerRule = 'qualified',
): FieldError[] {
  const { metadata } = object
  return [
    ...nameErrors(metadata, nameRule),
    ...namespaceErrors(metadata.namespace, namespaced),
    ...commonErrors(object, finalizers),
  ]
}

function nameErrors({ name, generateName }: KubeObject['metadata'], nameRule: NameRule): FieldError[] {
  // A prefix may end in what a name may not: the generated part follows it.
  const prefix = generateName?.replace(/-$/, 'a')
  return [
    ...(prefix ? nameRule(prefix) : []).map((text) =>
      invalidValue('metadata.generateName', generateName, text),
    ),
    ...(name
      ? nameRule(name).map((text) => invalidValue('metadata.name', name, text))
      : [required('metadata.name', 'name or generateName is required')]),
  ]
}

function namespaceErrors(namespace: string | undefined, namespaced: boolean): FieldError[] {
  if (!namespaced) {
    return namespace ? [forbiddenField('metadata.namespace', 'not allowed on this type')] : []
  }
  return labelName(namespace ?? '').map((text) => invalidValue('metadata.namespace', namespace, text))
}

function commonErrors(object: KubeObject, finalizers: FinalizerRule): FieldError[] {
  return [
    ...labelMapErrors('metadata.labels', labelsOf(object)),
    ...annotationMapErrors('metadata.annotations', annotationsOf(object)),
    ...ownerErrors(objectsAt(object.metadata, 'ownerReferences')),
    ...finalizersOf(object).flatMap((name) =>
      labelKey(name).map((text) => invalidValue('metadata.finalizers', name, text)),
    ),
    ...opposedFinalizers(finalizersOf(object)),
    ...(finalizers === 'any' ? [] : unqualifiedFinalizers(object)),
  ]
}

/** Dependents are either left behind or deleted first. */
function opposedFinalizers(finalizers: readonly string[]): FieldError[] {
  return finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')
    ? [
        invalidValue(
          'metadata.finalizers',
          [...finalizers],
          'finalizer orphan and foregroundDeletion cannot be both set',
        ),
      ]
    : []
}

/** Validates keys and values of a map of labels. */
export function labelMapErrors(field: string, labels: Record<string, string>): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...labelKey(key).map((text) => invalidValue(field, key, text)),
    ...labelValue(value).map((text) => invalidValue(field, value, text)),
  ])
}

/** Validates keys of a map of annotations, and its size. */
export function annotationMapErrors(field: string, annotations: Record<string, string>): FieldError[] {
  const entries = Object.entries(annotations)
  const size = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  )
  return [
    ...entries.flatMap(([key]) => labelKey(key.toLowerCase()).map((text) => invalidValue(field, key, text))),
    ...(size > ANNOTATIONS_LIMIT ? [tooLong(field, ANNOTATIONS_LIMIT)] : []),
  ]
}

function ownerErrors(owners: readonly JsonObject[]): FieldError[] {
  const at = 'metadata.ownerReferences'
  const controllers = owners.filter((owner) => owner.controller === true)
  const named = controllers.map((owner) => `${stringAt(owner, 'kind')}/${stringAt(owner, 'name')}`)
  return [
    ...owners.flatMap((owner) => [
      ...emptyError(owner, `${at}.apiVersion`, 'version must not be empty'),
      ...['kind', 'name', 'uid'].flatMap((member) =>
        emptyError(owner, `${at}.${member}`, 'must not be empty'),
      ),
      ...bannedError(owner, at),
    ]),
    ...named
      .slice(1)
      .map((other) =>
        invalidValue(
          at,
          [...owners],
          `Only one reference can have Controller set to true. Found "true" in references for ${named[0]} and ${other}`,
        ),
      ),
  ]
}

/** Reports Events as owners, which own nothing (upstream's BannedOwners). */
function bannedError(owner: JsonObject, at: string): FieldError[] {
  const isEvent = stringAt(owner, 'apiVersion') === 'v1' && stringAt(owner, 'kind') === 'Event'
  return isEvent ? [invalidValue(at, owner, '/v1, Kind=Event is disallowed from being an owner')] : []
}

function emptyError(owner: JsonObject, field: string, text: string): FieldError[] {
  return stringAt(owner, field.slice(field.lastIndexOf('.') + 1)) === ''
    ? [invalidValue(field, '', text)]
    : []
}

const STANDARD_FINALIZERS = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

function unqualifiedFinalizers(object: KubeObject): FieldError[] {
  return finalizersOf(object).flatMap((name, index) =>
    unqualifiedFinalizer(`metadata.finalizers[${index}]`, name),
  )
}

/** Makes the error of a finalizer without a domain that is not one of Kubernetes' own. */
export function unqualifiedFinalizer(field: string, name: string): FieldError[] {
  const why = 'name is neither a standard finalizer name nor is it fully qualified'
  return name.includes('/') || STANDARD_FINALIZERS.has(name) ? [] : [invalidValue(field, name, why)]
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
export function metadataUpdateErrors(
  object: KubeObject,
  old: KubeObject,
  finalizers: FinalizerRule = 'qualified',
): FieldError[] {
  const immutable = IMMUTABLE.filter((member) => !sameJson(object.metadata[member], old.metadata[member]))
  return [
    ...newFinalizerErrors(object, old),
    ...immutable.map((member) =>
      invalidValue(`metadata.${member}`, object.metadata[member] ?? null, 'field is immutable'),
    ),
    ...commonErrors(object, finalizers),
  ]
}

function newFinalizerErrors(object: KubeObject, old: KubeObject): FieldError[] {
  if (!old.metadata.deletionTimestamp) return []
  const known = new Set(finalizersOf(old))
  const added = finalizersOf(object).filter((name) => !known.has(name))
  if (added.length === 0) return []
  const listed = added
    .sort()
    .map((name) => JSON.stringify(name))
    .join(', ')
  return [
    forbiddenField(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${listed}}`,
    ),
  ]
}

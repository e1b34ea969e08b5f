import { quoted } from '../../../../kubernetes/index.ts'
import { badRequest, conflict, internal, invalid, modified } from '../../../apimachinery/errors/factories.ts'
import { type FieldError, invalidValue } from '../../../apimachinery/errors/field.ts'
import { sameJson } from '../../../apimachinery/json/values.ts'
import { finalizersOf, type KubeObject, type ObjectMetadata } from '../../../apimachinery/objects.ts'
import { metadataUpdateErrors } from '../../../apimachinery/validation/metadata.ts'
import { admissionOf } from '../admission/request.ts'
import { encodeObject } from '../decode.ts'
import { errorKind, keyOf } from '../definition/names.ts'
import type { Subresource, WriteEndpoint } from '../definition/resource-definition.ts'
import type { WriteContext } from '../definition/write-context.ts'
import { allocate } from './allocate.ts'
import { countGeneration, countsByDefault } from './generation.ts'
import { trackWrite } from './track-write.ts'

export interface UpdateTarget {
  readonly endpoint: WriteEndpoint
  readonly stored: KubeObject
  /** Undefined for the object itself. */
  readonly subresource?: { readonly name: string; readonly definition: Subresource }
}

/**
 * Replaces the stored object by the submitted one, if its resourceVersion, where it has one, is that of the
 * stored object; around admission. An object that stays the same keeps its resourceVersion and no event is
 * sent.
 */
export function updateObject(target: UpdateTarget, submitted: KubeObject, context: WriteContext): KubeObject {
  const asked = askedUpdate(target, submitted, context)
  const draft = completedUpdate(target, asked, context)
  const giveBack = allocateUpdate(target, draft, context)
  try {
    return storeUpdate(target, draft, context)
  } finally {
    giveBack?.()
  }
}

/**
 * Updates as `updateObject` does, through the admission of the context. Undefined if another writer has
 * written the object while the plugins were at work: the caller begins again with what is stored now, as
 * upstream's GuaranteedUpdate does.
 */
export async function admitAndUpdate(
  target: UpdateTarget,
  submitted: KubeObject,
  context: WriteContext,
): Promise<KubeObject | undefined> {
  const { endpoint, stored, subresource } = target
  const { namespace, name = '' } = stored.metadata
  const shows = subresource?.definition.shows
  const admission = admissionOf(
    'UPDATE',
    { endpoint, namespace, name, subresource: subresource?.name, kind: shows?.definition },
    context,
  )
  if (!admission) return updateObject(target, submitted, context)
  const shown = (object: KubeObject): KubeObject => shows?.of(object) ?? object
  const asked = askedUpdate(target, submitted, context)
  const mutated = admission.mutates ? await admission.mutate(asked, shown(stored)) : asked
  checkNamespaceKept(mutated, stored)
  const draft = completedUpdate(target, mutated, context)
  const giveBack = allocateUpdate(target, draft, context)
  try {
    if (admission.validates) {
      await admission.validate(shown(encodeObject(endpoint.definition, draft)), shown(stored))
    }
    const current = endpoint.store.get(endpoint.resource, keyOf(namespace, name))
    return current === stored ? storeUpdate(target, draft, context) : undefined
  } finally {
    giveBack?.()
  }
}

function allocateUpdate(
  { endpoint, stored, subresource }: UpdateTarget,
  draft: KubeObject,
  context: WriteContext,
): (() => void) | undefined {
  return subresource ? undefined : allocate(endpoint, draft, stored, context)
}

/** Returns the object as the client wants it, with its owners, for mutating admission. */
function askedUpdate(target: UpdateTarget, submitted: KubeObject, context: WriteContext): KubeObject {
  const { endpoint, stored, subresource } = target
  // Of an object that is shown as another kind the owners are found once it is laid over the stored one.
  if (subresource?.definition.shows) return submitted
  const { namespace } = stored.metadata
  const asked = { ...submitted, metadata: { ...submitted.metadata, ...(namespace ? { namespace } : {}) } }
  trackWrite(asked, {
    definition: endpoint.definition,
    context,
    submitted: merged(target, submitted),
    stored,
    convert: endpoint.convert,
    ...(subresource ? { subresource: subresource.name } : {}),
  })
  return asked
}

/** Returns the object as it may be stored, validated. */
function completedUpdate(target: UpdateTarget, asked: KubeObject, context: WriteContext): KubeObject {
  const { endpoint, stored, subresource } = target
  const next = merged(target, asked)
  // What is shown as another kind is of the version that is shown, where the client does not say.
  checkResourceVersion(target, subresource?.definition.shows ? next : asked)
  const draft = withStoredMetadata(next, stored.metadata)
  if (subresource?.definition.shows) {
    const { definition } = endpoint
    trackWrite(draft, {
      definition,
      context,
      submitted: next,
      stored,
      subresource: subresource.name,
      convert: endpoint.convert,
      isOtherKind: true,
    })
  } else copyManagers(asked, draft)
  prepare(target, draft, context)
  validate(target, draft, context)
  return draft
}

/** Copies the managers. Some subresources take nothing of the metadata, but all are tracked. */
function copyManagers({ metadata: { managedFields } }: KubeObject, draft: KubeObject): void {
  if (managedFields === undefined) delete draft.metadata.managedFields
  else draft.metadata.managedFields = managedFields
}

function merged({ stored, subresource }: UpdateTarget, submitted: KubeObject): KubeObject {
  return subresource?.definition.merge?.(submitted, stored) ?? submitted
}

function checkNamespaceKept({ metadata }: KubeObject, stored: KubeObject): void {
  if (!metadata.namespace || metadata.namespace === stored.metadata.namespace) return
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
}

function storeUpdate(
  { endpoint, stored }: UpdateTarget,
  draft: KubeObject,
  context: WriteContext,
): KubeObject {
  const { definition, store, resource } = endpoint
  const object = encodeObject(definition, draft)
  if (sameExceptManagers(object, stored)) return stored
  if (context.dryRun) return object
  const key = keyOf(stored.metadata.namespace, stored.metadata.name ?? '')
  if (mayGo(endpoint, object)) {
    return { ...store.remove(resource, key, object), metadata: object.metadata }
  }
  return store.put(resource, key, object)
}

function checkResourceVersion({ endpoint, stored }: UpdateTarget, { metadata }: KubeObject): void {
  const { definition } = endpoint
  const name = stored.metadata.name ?? ''
  const wanted = metadata.resourceVersion ?? ''
  if (wanted === '' || wanted === '0') {
    if (definition.unconditionalUpdate !== false) return
    // Upstream names the resource instead of the kind here.
    throw invalid({ group: definition.group, kind: definition.plural }, name, [
      invalidValue('metadata.resourceVersion', wanted === '' ? 0 : wanted, 'must be specified for an update'),
    ])
  }
  if (!/^\d+$/.test(wanted)) throw internal(`strconv.ParseUint: parsing ${quoted(wanted)}: invalid syntax`)
  if (wanted !== stored.metadata.resourceVersion) throw modified(definition, name)
}

/**
 * Refuses a PUT whose object is another one of the same name than the stored one.
 * @param stored of what is not there its namespace and name alone
 */
export function checkUid(
  { definition }: Pick<WriteEndpoint, 'definition'>,
  { namespace, name = '', uid = '' }: ObjectMetadata,
  { metadata }: KubeObject,
): void {
  if (!metadata.uid || metadata.uid === uid) return
  const key = `/registry/${definition.plural}/${keyOf(namespace, name)}`
  throw conflict(
    definition,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`,
  )
}

function withStoredMetadata(submitted: KubeObject, stored: ObjectMetadata): KubeObject {
  const { selfLink, generation, ...metadata } = submitted.metadata
  const { deletionTimestamp, deletionGracePeriodSeconds } = stored
  return {
    ...submitted,
    metadata: {
      ...metadata,
      ...(stored.namespace ? { namespace: stored.namespace } : {}),
      uid: metadata.uid ?? stored.uid,
      resourceVersion: stored.resourceVersion,
      creationTimestamp: stored.creationTimestamp,
      ...(stored.generation === undefined ? {} : { generation: stored.generation }),
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
      ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    },
  }
}

function prepare(
  { endpoint, stored, subresource }: UpdateTarget,
  draft: KubeObject,
  context: WriteContext,
): void {
  const { strategy, hasStatus } = endpoint.definition
  if (subresource) {
    const { name, definition } = subresource
    if (definition.prepare) definition.prepare(draft, stored, context)
    else if (name === 'status') strategy?.prepareForStatusUpdate?.(draft, stored, context)
    return
  }
  if (hasStatus) {
    if (stored.status === undefined) delete draft.status
    else draft.status = stored.status
  }
  strategy?.prepareForUpdate?.(draft, stored, context)
  if (countsByDefault(endpoint.definition)) countGeneration(draft, stored)
}

function validate(target: UpdateTarget, draft: KubeObject, context: WriteContext): void {
  const { endpoint, stored, subresource } = target
  const { definition } = endpoint
  const { strategy } = definition
  // As by the real server, metadata is validated twice, for all resources and by each strategy: its errors
  // have two causes.
  const metadata = metadataUpdateErrors(draft, stored, definition.finalizers)
  const own = subresource
    ? subresourceErrors(target, subresource.definition, draft)
    : [...(strategy?.validateUpdate?.(draft, stored) ?? []), ...(strategy?.validate?.(draft, context) ?? [])]
  const errors = [...metadata, ...metadata, ...own]
  if (errors.length > 0) throw invalid(errorKind(definition), stored.metadata.name ?? '', errors)
}

function subresourceErrors(
  { endpoint, stored }: UpdateTarget,
  subresource: Subresource,
  draft: KubeObject,
): FieldError[] {
  if (subresource.validate) return subresource.validate(draft, stored)
  return endpoint.definition.strategy?.validateStatusUpdate?.(draft, stored) ?? []
}

function sameExceptManagers(object: KubeObject, stored: KubeObject): boolean {
  return sameJson(withoutTimes(object), withoutTimes(stored))
}

/** Removes the times of managers. Only they change when the content does not. */
function withoutTimes(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata
  const managers = Array.isArray(managedFields)
    ? managedFields.map((entry) => (entry && typeof entry === 'object' ? { ...entry, time: null } : entry))
    : managedFields
  return { ...object, metadata: { ...metadata, managedFields: managers } }
}

/** Reports whether nothing holds a terminating object any longer. */
function mayGo({ definition }: WriteEndpoint, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata
  if (!deletionTimestamp || finalizersOf(object).length > 0 || deletionGracePeriodSeconds > 0) return false
  return !definition.strategy?.finalizedBySpec || !hasSpecFinalizers(object)
}

export function hasSpecFinalizers(object: KubeObject): boolean {
  const { spec } = object
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return false
  return Array.isArray(spec.finalizers) && spec.finalizers.length > 0
}

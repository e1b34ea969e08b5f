import { conflict } from '../../../apimachinery/errors/factories.ts'
import { deletedStatus, type Status } from '../../../apimachinery/errors/status.ts'
import { type JsonObject, jsonText } from '../../../apimachinery/json/exact-numbers.ts'
import { finalizersOf, type KubeObject, nextGeneration, timestamp } from '../../../apimachinery/objects.ts'
import { admissionOf } from '../admission/request.ts'
import { encodeObject } from '../decode.ts'
import { keyOf } from '../definition/names.ts'
import type { DeleteOptions, WriteEndpoint } from '../definition/resource-definition.ts'
import type { WriteContext } from '../definition/write-context.ts'
import { hasSpecFinalizers } from './update.ts'

interface Deletion {
  /** The object is gone, or would be if the request were not a dry run. */
  readonly gone: boolean
  readonly object: KubeObject
}

/** Deletes the object around admission; one with finalizers or a grace period is marked as terminating. */
export function deleteObject(
  endpoint: WriteEndpoint,
  current: KubeObject,
  options: DeleteOptions,
  context: WriteContext,
): Deletion {
  const { definition } = endpoint
  definition.strategy?.checkDelete?.(current)
  checkPreconditions(endpoint, current, options)
  const stored = definition.strategy?.prepareForDelete?.(current, context) ?? current
  if (definition.strategy?.finalizedBySpec) return terminate(endpoint, stored, context)
  if (isMarkedBy(current, stored)) return { gone: false, object: save(endpoint, current, stored, context) }
  const grace = definition.strategy?.gracePeriod?.(stored, options.gracePeriodSeconds)
  const finalizers = finalizersFor(stored, options)
  if (finalizers.length === 0 && (grace ?? 0) === 0) {
    const last =
      grace === undefined ? stored : marked(endpoint, stored, { finalizers, grace, now: context.now })
    return remove(endpoint, last, context)
  }
  const waiting = marked(endpoint, stored, { finalizers, grace: grace ?? 0, now: context.now })
  return { gone: false, object: save(endpoint, current, waiting, context) }
}

/** Reports whether the strategy has marked the object as terminating by itself. */
function isMarkedBy(current: KubeObject, prepared: KubeObject): boolean {
  return !current.metadata.deletionTimestamp && prepared.metadata.deletionTimestamp !== undefined
}

/** Target of a deletion; `name` is empty for one of many. */
interface DeletionTarget {
  readonly endpoint: WriteEndpoint
  readonly current: KubeObject
  readonly name: string
}

/**
 * Deletes as `deleteObject` does, through the admission of the context. Undefined if another writer has
 * written the object while the plugins were at work: the caller begins again with what is stored now.
 */
export async function admitAndDelete(
  { endpoint, current, name }: DeletionTarget,
  options: DeleteOptions,
  context: WriteContext,
): Promise<Deletion | undefined> {
  const { namespace } = current.metadata
  const admission = admissionOf(
    'DELETE',
    { endpoint, namespace, name },
    withServerOptions(context, serverOptions(endpoint, current, options)),
  )
  if (!admission) return deleteObject(endpoint, current, options, context)
  endpoint.definition.strategy?.checkDelete?.(current)
  checkPreconditions(endpoint, current, options)
  await admission.admitDeletion(current)
  const key = keyOf(namespace, current.metadata.name ?? '')
  if (endpoint.store.get(endpoint.resource, key) !== current) return undefined
  return deleteObject(endpoint, current, options, context)
}

/** Returns what kube-apiserver adds to the options of a deletion before admission sees them. */
function serverOptions(
  { definition: { strategy } }: WriteEndpoint,
  current: KubeObject,
  { gracePeriodSeconds, preconditions }: DeleteOptions,
): JsonObject {
  const grace = strategy?.gracePeriod?.(current, gracePeriodSeconds)
  const { uid } = current.metadata
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(strategy?.finalizedBySpec && uid ? { preconditions: { uid, ...preconditions } } : {}),
  }
}

function withServerOptions(context: WriteContext, added: JsonObject): WriteContext {
  const { admission } = context
  if (!admission) return context
  return { ...context, admission: { ...admission, options: { ...admission.options, ...added } } }
}

/** Returns a delete's answer: a Status once the object is gone, unless its resource answers the object. */
export function deletionAnswer(
  { definition }: WriteEndpoint,
  { gone, object }: Deletion,
): KubeObject | Status {
  if (!gone || definition.returnsDeleted) return object
  const { name, uid } = object.metadata
  const { group, plural } = definition
  return deletedStatus({
    ...(name ? { name } : {}),
    ...(group ? { group } : {}),
    kind: plural,
    ...(uid ? { uid } : {}),
  })
}

/** Throws a 409 where the object is not the one that is meant. */
export function checkPreconditions(
  { definition }: WriteEndpoint,
  { metadata }: KubeObject,
  { preconditions }: DeleteOptions,
): void {
  const name = metadata.name ?? ''
  const { uid, resourceVersion } = preconditions ?? {}
  // Upstream names the kind instead of the resource here.
  const kind = { group: definition.group, plural: definition.kind }
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      kind,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    )
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      kind,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    )
  }
}

/** Terminates an object with `spec.finalizers`: its phase is Terminating until they are empty. */
function terminate(endpoint: WriteEndpoint, stored: KubeObject, context: WriteContext): Deletion {
  if (stored.metadata.deletionTimestamp) {
    const done = !hasSpecFinalizers(stored) && finalizersOf(stored).length === 0
    return done ? remove(endpoint, stored, context) : { gone: false, object: stored }
  }
  const waiting = encodeObject(endpoint.definition, {
    ...stored,
    metadata: { ...stored.metadata, deletionTimestamp: timestamp(context.now) },
    status: { ...asObject(stored.status), phase: 'Terminating' },
  })
  return { gone: false, object: save(endpoint, stored, waiting, context) }
}

function asObject(value: unknown): Record<string, never> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Returns the finalizers, with those that the garbage collector removes (Orphan, Foreground). */
function finalizersFor(stored: KubeObject, { propagationPolicy }: DeleteOptions): string[] {
  const current = finalizersOf(stored)
  if (!propagationPolicy) return current
  const kept = current.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion')
  if (propagationPolicy === 'Orphan') return [...kept, 'orphan']
  return propagationPolicy === 'Foreground' ? [...kept, 'foregroundDeletion'] : kept
}

interface Mark {
  readonly finalizers: string[]
  readonly grace: number | bigint
  readonly now: number
}

/** Marks the object as terminating. A grace period can be shortened later but never be extended. */
function marked(
  { definition }: WriteEndpoint,
  stored: KubeObject,
  { finalizers, grace, now }: Mark,
): KubeObject {
  const { deletionTimestamp, deletionGracePeriodSeconds: former, generation } = stored.metadata
  const { finalizers: _, ...metadata } = stored.metadata
  const shown = finalizers.length > 0 ? { finalizers } : {}
  if (deletionTimestamp && former !== undefined && grace >= former) {
    return encodeObject(definition, { ...stored, metadata: { ...metadata, ...shown } })
  }
  const begin = deletionTimestamp ? after(Date.parse(deletionTimestamp), -(former ?? 0)) : now
  const counted = !deletionTimestamp && generation !== undefined && generation > 0
  return encodeObject(definition, {
    ...stored,
    metadata: {
      ...metadata,
      ...shown,
      deletionTimestamp: timestamp(after(begin, grace)),
      deletionGracePeriodSeconds: grace,
      ...(counted ? { generation: nextGeneration(generation) } : {}),
    },
  })
}

/** Adds seconds to a time as Go: 64 bits of nanoseconds have 292 years, and then begin again. */
function after(milliseconds: number, seconds: number | bigint): number {
  return milliseconds + Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n)
}

function save(
  endpoint: WriteEndpoint,
  stored: KubeObject,
  next: KubeObject,
  context: WriteContext,
): KubeObject {
  if (context.dryRun || jsonText(next) === jsonText(stored)) return next
  return endpoint.store.put(
    endpoint.resource,
    keyOf(stored.metadata.namespace, stored.metadata.name ?? ''),
    next,
  )
}

function remove(endpoint: WriteEndpoint, last: KubeObject, context: WriteContext): Deletion {
  const { namespace, name = '' } = last.metadata
  if (!context.dryRun) endpoint.store.remove(endpoint.resource, keyOf(namespace, name), last)
  return { gone: true, object: last }
}

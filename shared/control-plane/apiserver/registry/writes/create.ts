import { randomUUID } from 'node:crypto'
import { subdomainName } from '../../../../kubernetes/index.ts'
import {
  alreadyExists,
  badRequest,
  forbidden,
  internal,
  invalid,
  notFound,
} from '../../../apimachinery/errors/factories.ts'
import { ApiError } from '../../../apimachinery/errors/status.ts'
import { type KubeObject, timestamp } from '../../../apimachinery/objects.ts'
import { metadataErrors } from '../../../apimachinery/validation/metadata.ts'
import { admissionOf } from '../admission/request.ts'
import { encodeObject } from '../decode.ts'
import { errorKind, keyOf } from '../definition/names.ts'
import type { WriteEndpoint } from '../definition/resource-definition.ts'
import type { WriteContext } from '../definition/write-context.ts'
import { allocate } from './allocate.ts'
import { generatedName } from './generated-name.ts'
import { countGeneration, countsByDefault } from './generation.ts'
import { trackWrite } from './track-write.ts'

/** Creates the object, around admission; `namespace`: the request's, undefined for cluster-scoped ones. */
export function createObject(
  endpoint: WriteEndpoint,
  submitted: KubeObject,
  namespace: string | undefined,
  context: WriteContext,
): KubeObject {
  const asked = askedObject(endpoint, submitted, namespace, context)
  const draft = completed(endpoint, asked, context)
  const giveBack = allocate(endpoint, draft, undefined, context)
  try {
    return storeNew(endpoint, draft, context)
  } finally {
    giveBack?.()
  }
}

/**
 * Creates as `createObject` does, through the admission of the context. The plugins change the object before
 * the server completes it, and see it before it is stored, which may take time.
 */
export async function admitAndCreate(
  endpoint: WriteEndpoint,
  submitted: KubeObject,
  namespace: string | undefined,
  context: WriteContext,
): Promise<KubeObject> {
  const target = { endpoint, namespace, name: submitted.metadata.name }
  const admission = admissionOf('CREATE', target, context)
  if (!admission) return createObject(endpoint, submitted, namespace, context)
  const asked = askedObject(endpoint, submitted, namespace, context)
  const mutated = admission.mutates ? await admission.mutate(asked, undefined) : asked
  const draft = completed(endpoint, withRequestMetadata(mutated, namespace), context)
  // What is allocated here stays reserved while admission runs.
  const giveBack = allocate(endpoint, draft, undefined, context)
  try {
    if (admission.validates) await admission.validate(encodeObject(endpoint.definition, draft), undefined)
    // The namespace may have gone meanwhile.
    checkNamespace(endpoint, draft.metadata.name ?? '', namespace)
    return storeNew(endpoint, draft, context)
  } finally {
    giveBack?.()
  }
}

/** Returns the object as the client wants it, with its owners, for mutating admission. */
function askedObject(
  endpoint: WriteEndpoint,
  submitted: KubeObject,
  namespace: string | undefined,
  context: WriteContext,
): KubeObject {
  const { definition } = endpoint
  const asked = withRequestMetadata(submitted, namespace)
  trackWrite(asked, { definition, context, submitted: { ...asked } })
  checkNamespace(endpoint, asked.metadata.name ?? '', namespace)
  definition.strategy?.admit?.(asked, context)
  return asked
}

/** Returns the object with what the server adds, validated. */
function completed({ definition }: WriteEndpoint, asked: KubeObject, context: WriteContext): KubeObject {
  const draft = withSystemMetadata(asked, context.now)
  definition.strategy?.prepareForCreate?.(draft, context)
  if (countsByDefault(definition)) countGeneration(draft, undefined)
  const errors = [
    ...metadataErrors(
      draft,
      definition.namespaced,
      definition.nameRule ?? subdomainName,
      definition.finalizers,
    ),
    ...(definition.strategy?.validate?.(draft, context) ?? []),
    ...(definition.strategy?.validateCreate?.(draft) ?? []),
  ]
  if (errors.length > 0) throw invalid(errorKind(definition), draft.metadata.name ?? '', errors)
  return draft
}

function storeNew(endpoint: WriteEndpoint, draft: KubeObject, context: WriteContext): KubeObject {
  const { definition, store, resource } = endpoint
  const { namespace, name = '' } = draft.metadata
  const key = keyOf(definition.namespaced ? namespace : undefined, name)
  if (!context.dryRun) checkNoRevision(draft)
  const existing = store.get(resource, key)
  if (existing) throw alreadyExists(definition, name, existing.metadata.deletionTimestamp !== undefined)
  const object = encodeObject(definition, draft)
  return context.dryRun ? object : store.put(resource, key, object)
}

/** Checks that a new object has no version; only numbers count, as in upstream's storage. Not in dry runs. */
function checkNoRevision({ metadata: { resourceVersion = '' } }: KubeObject): void {
  if (/^0*[1-9]\d*$/.test(resourceVersion)) {
    throw internal('resourceVersion should not be set on objects to be created')
  }
}

/** Refuses metadata that no new object may have; drops what only the server sets, and a stray namespace. */
function withRequestMetadata(submitted: KubeObject, requested: string | undefined): KubeObject {
  const { namespace, ...metadata } = submitted.metadata
  if (requested && namespace && namespace !== requested) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  const { selfLink, uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, ...kept } =
    metadata
  return { ...submitted, metadata: { ...kept, ...(requested ? { namespace: requested } : {}) } }
}

function withSystemMetadata(asked: KubeObject, now: number): KubeObject {
  const { metadata } = asked
  return {
    ...asked,
    metadata: {
      ...metadata,
      ...(metadata.generateName && !metadata.name ? { name: generatedName(metadata.generateName) } : {}),
      uid: randomUUID(),
      creationTimestamp: timestamp(now),
    },
  }
}

/** Checks the namespace, which must exist and not be terminating for anything to be created in it. */
export function checkNamespace(
  { definition, objects }: Pick<WriteEndpoint, 'definition' | 'objects'>,
  name: string,
  namespace: string | undefined,
): void {
  if (!namespace) return
  const found = objects.get('namespaces', '', namespace)
  if (!found) throw notFound({ group: '', plural: 'namespaces' }, namespace)
  if (!found.metadata.deletionTimestamp) return
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  const refusal = forbidden(definition, name, why)
  throw new ApiError(refusal.code, refusal.reason, refusal.message, {
    ...refusal.details,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  })
}

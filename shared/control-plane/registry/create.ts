import { randomUUID } from 'node:crypto'
import {
  ApiError,
  alreadyExists,
  badRequest,
  forbidden,
  internal,
  invalid,
  notFound,
} from '../errors/index.ts'
import { type KubeObject, timestamp } from '../objects.ts'
import { metadataErrors, subdomainName } from '../validation/index.ts'
import { encodeObject } from './decode.ts'
import { errorKind, keyOf, type WriteContext } from './definition.ts'
import type { Endpoint } from './endpoint.ts'
import { generatedName } from './generated-name.ts'
import { trackWrite } from './track-write.ts'

/** Creates the object. `namespace` is the one of the request, undefined for cluster-scoped resources. */
export function createObject(
  endpoint: Endpoint,
  submitted: KubeObject,
  namespace: string | undefined,
  context: WriteContext,
): KubeObject {
  const { definition, store, resource } = endpoint
  const draft = withSystemMetadata(submitted, namespace, context.now)
  trackWrite(draft, { definition, context, submitted: { ...draft } })
  checkNamespace(endpoint, draft, namespace)
  definition.strategy?.prepareForCreate?.(draft, context)
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
  const name = draft.metadata.name ?? ''
  const key = keyOf(namespace, name)
  const existing = store.get(resource, key)
  if (existing) throw alreadyExists(definition, name, existing.metadata.deletionTimestamp !== undefined)
  definition.strategy?.allocate?.(draft, undefined, context)
  const object = encodeObject(definition, draft)
  return context.dryRun ? object : store.put(resource, key, object)
}

function withSystemMetadata(submitted: KubeObject, namespace: string | undefined, now: number): KubeObject {
  const { metadata } = submitted
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  if (metadata.resourceVersion) throw internal('resourceVersion should not be set on objects to be created')
  const { selfLink, deletionTimestamp, deletionGracePeriodSeconds, ...kept } = metadata
  return {
    ...submitted,
    metadata: {
      ...kept,
      ...(metadata.generateName && !metadata.name ? { name: generatedName(metadata.generateName) } : {}),
      ...(namespace ? { namespace } : {}),
      uid: randomUUID(),
      creationTimestamp: timestamp(now),
    },
  }
}

/** A namespace must exist and must not be terminating for anything to be created in it. */
function checkNamespace(endpoint: Endpoint, object: KubeObject, namespace: string | undefined): void {
  if (!namespace) return
  const { definition, objects } = endpoint
  const found = objects.get('namespaces', '', namespace)
  if (!found) throw notFound({ group: '', plural: 'namespaces' }, namespace)
  if (!found.metadata.deletionTimestamp) return
  const name = object.metadata.name ?? ''
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

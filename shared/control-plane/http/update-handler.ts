import { badRequest, notFound } from '../errors/index.ts'
import type { KubeObject } from '../objects.ts'
import {
  checkUid,
  createObject,
  type Endpoint,
  keyOf,
  type ResourceDefinition,
  type Subresource,
  type UpdateTarget,
  updateObject,
  type WriteContext,
} from '../registry/index.ts'
import { decodeSubmitted } from './decode-submitted.ts'
import type { Exchange } from './exchange.ts'
import { checkPatchType, patchObject } from './patch-object.ts'
import { type RequestBody, readBody } from './read-body.ts'
import { type WriteServices, writeContext } from './write-context.ts'
import { type WriteOptions, writeOptions } from './write-options.ts'

/** Serves PUT and PATCH, of an object or of one of its subresources. */
export async function updateFromBody(
  exchange: Exchange,
  endpoint: Endpoint,
  services: WriteServices,
  subresource?: Subresource,
): Promise<{ object: KubeObject; created: boolean }> {
  const body = await readBody(exchange)
  const patching = exchange.info.verb === 'patch'
  if (patching) checkPatchType(endpoint.definition, body.contentType)
  const options = writeOptions(exchange, patching ? 'PatchOptions' : 'UpdateOptions')
  const { info, warnings } = exchange
  const context = writeContext(exchange, options, services)
  const stored = endpoint.store.get(endpoint.resource, keyOf(info.namespace, info.name))
  if (!stored && patching) throw notFound(endpoint.definition, info.name)
  const shows = subresource?.shows
  const definition = shows?.definition ?? endpoint.definition
  const submitted =
    stored && patching
      ? patched(exchange, definition, shows?.of(stored) ?? stored, { body, options })
      : decodeSubmitted(definition, {
          ...body,
          validation: options.fieldValidation,
          warnings,
          isKnownKind: services.isKnownKind,
        })
  checkIdentity(exchange, submitted)
  if (!stored) return { object: createByUpdate(endpoint, submitted, info, context), created: true }
  const target: UpdateTarget = {
    endpoint,
    stored,
    ...(subresource ? { subresource: { name: info.subresource, definition: subresource } } : {}),
  }
  if (!patching) checkUid(target, submitted)
  const updated = updateObject(target, submitted, context)
  return { object: shows?.of(updated) ?? updated, created: false }
}

function patched(
  { warnings }: Exchange,
  definition: ResourceDefinition,
  stored: KubeObject,
  { body, options }: { body: RequestBody; options: WriteOptions },
): KubeObject {
  return patchObject(definition, stored, {
    ...body,
    validation: options.fieldValidation,
    warnings,
  })
}

function checkIdentity({ info }: Exchange, { metadata }: KubeObject): void {
  if (!metadata.name) {
    throw badRequest(
      `the name of the object (${info.name} based on URL) was undeterminable: name must be provided`,
    )
  }
  if (metadata.name !== info.name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${info.name})`,
    )
  }
  if (metadata.namespace && metadata.namespace !== info.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
}

/** Some resources are created by a PUT; of the others a PUT needs that they exist. */
function createByUpdate(
  endpoint: Endpoint,
  submitted: KubeObject,
  { namespace, name }: { namespace: string; name: string },
  context: WriteContext,
): KubeObject {
  if (!endpoint.definition.createOnUpdate) throw notFound(endpoint.definition, name)
  return createObject(endpoint, submitted, namespace || undefined, context)
}

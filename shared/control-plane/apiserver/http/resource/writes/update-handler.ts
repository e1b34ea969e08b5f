import { badRequest, conflict, notFound } from '../../../../apimachinery/errors/factories.ts'
import { ApiError } from '../../../../apimachinery/errors/status.ts'
import type { KubeObject, ObjectMetadata } from '../../../../apimachinery/objects.ts'
import { refusal } from '../../../../auth/security/authorization.ts'
import { writeConverted } from '../../../registry/conversion/converted-write.ts'
import { keyOf } from '../../../registry/definition/names.ts'
import type {
  Endpoint,
  Subresource,
  WriteEndpoint,
} from '../../../registry/definition/resource-definition.ts'
import type { WriteContext } from '../../../registry/definition/write-context.ts'
import { admitAndCreate } from '../../../registry/writes/create.ts'
import { admitAndUpdate, checkUid, type UpdateTarget } from '../../../registry/writes/update.ts'
import { decodeSubmitted } from '../../body/decode-submitted.ts'
import { type RequestBody, readBody } from '../../body/read-body.ts'
import type { Exchange } from '../../exchange.ts'
import { namespaceOf } from '../../request-info.ts'
import { untilDone } from '../../until-done.ts'
import { type WriteOptions, writeOptions } from '../write-options.ts'
import { applyObject, isApply } from './apply-object.ts'
import { withOwnersOnce } from './owner-references.ts'
import { patchObject } from './patch-object.ts'
import { type WriteServices, writeContext } from './write-context.ts'

/** One PUT or PATCH of an object or of one of its subresources. */
interface Write {
  readonly exchange: Exchange
  readonly endpoint: WriteEndpoint
  readonly services: WriteServices
  readonly subresource: Subresource | undefined
  readonly body: RequestBody
  readonly options: WriteOptions
  readonly context: WriteContext
  readonly stored: KubeObject | undefined
}

/** Serves PUT and PATCH of an object or subresource. `checkPatchType` has passed a patch's content type. */
export async function updateFromBody(
  exchange: Exchange,
  endpoint: Endpoint,
  services: WriteServices,
  subresource?: Subresource,
): Promise<Updated> {
  const { info } = exchange
  const body = await readBody(exchange, subresource?.kind || endpoint.definition.kind)
  const patching = info.verb === 'patch'
  const applies = patching && isApply(body.contentType)
  const options = writeOptions(exchange, patching ? 'PatchOptions' : 'UpdateOptions', applies)
  const context = writeContext(exchange, options, services)
  const write = { exchange, services, subresource, body, options, context }
  const key = keyOf(info.namespace, info.name)
  await endpoint.definition.strategy?.load?.()
  const updated = await untilDone(() =>
    writeConverted({ endpoint, key, verb: 'update', dryRun: options.dryRun }, (at) =>
      attempt({ ...write, endpoint: at }, applies),
    ),
  )
  return { ...updated, object: subresource?.shows?.of(updated.object) ?? updated.object }
}

interface Updated {
  readonly object: KubeObject
  readonly created: boolean
}

/** Writes to what is stored now; returns undefined if that has changed before the write was finished. */
async function attempt(request: Omit<Write, 'stored'>, applies: boolean): Promise<Updated | undefined> {
  const { exchange, endpoint, subresource, context } = request
  const { info } = exchange
  const stored = endpoint.store.get(endpoint.resource, keyOf(info.namespace, info.name))
  const write = { ...request, stored }
  const submitted = identified(exchange, submittedObject(write))
  // An apply to a subresource that shows another kind says nothing of the owners in the object itself.
  const tracked = { ...context, applied: applies && !subresource?.shows }
  if (!stored) return await createByUpdate(write, submitted, tracked)
  const target: UpdateTarget = {
    endpoint,
    stored,
    ...(subresource ? { subresource: { name: info.subresource, definition: subresource } } : {}),
  }
  if (info.verb !== 'patch') checkUid(endpoint, stored.metadata, submitted)
  const updated = await admitAndUpdate(target, submitted, tracked)
  return updated && { object: updated, created: false }
}

const placeOf = ({ namespace, name }: Exchange['info']): ObjectMetadata => ({
  ...(namespace === '' ? {} : { namespace }),
  name,
})

/** Returns the object as it is to become. */
function submittedObject(write: Write): KubeObject {
  const { exchange, endpoint, subresource, body, options, stored } = write
  const { info, warnings } = exchange
  const shows = subresource?.shows
  const definition = shows?.definition ?? endpoint.definition
  const current = stored && (shows?.of(stored) ?? stored)
  const validation = options.fieldValidation
  const { isKnownKind } = write.services
  if (info.verb !== 'patch') {
    const decoded = decodeSubmitted(definition, { ...body, validation, warnings, isKnownKind })
    return withOwnersOnce(decoded, warnings)
  }
  if (isApply(body.contentType)) {
    const convert = shows ? undefined : endpoint.convert
    const at = { convert, ...(subresource && !shows ? { subresource: info.subresource } : {}) }
    return applyObject(definition, current, { text: body.text, options, ...at }, write.context)
  }
  if (!current) throw notFound(endpoint.definition, info.name)
  return withOwnersOnce(
    patchObject(definition, current, { ...body, validation, warnings, isKnownKind }),
    warnings,
    true,
  )
}

/** Checks that the object is that of the path. The namespace of an object without one does not count. */
function identified({ info }: Exchange, submitted: KubeObject): KubeObject {
  const { namespace, ...metadata } = submitted.metadata
  if (info.namespace !== '' && namespace && namespace !== info.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
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
  return info.namespace === '' && namespace !== undefined ? { ...submitted, metadata } : submitted
}

/** Checks that an apply which names a uid creates nothing: the object that it means is gone. */
function checkNoUid({ definition }: WriteEndpoint, { metadata: { name = '', uid } }: KubeObject): void {
  if (!uid) return
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
  throw conflict(definition, name, why)
}

/** Creates the object by an apply or, for some resources, by a PUT. Both need the permission to create. */
async function createByUpdate(
  { exchange, endpoint, subresource }: Write,
  submitted: KubeObject,
  context: WriteContext,
): Promise<Updated | undefined> {
  const { info, user } = exchange
  const mayApply = context.applied === true && subresource === undefined
  if (!mayApply && !endpoint.definition.createOnUpdate) throw notFound(endpoint.definition, info.name)
  if (mayApply) checkNoUid(endpoint, submitted)
  else checkUid(endpoint, placeOf(info), submitted)
  const attributes = { ...info, namespace: namespaceOf(info), user, verb: 'create' }
  const { allowed, reason } = context.authorize(attributes)
  if (!allowed) throw refusal(attributes, reason)
  try {
    const { resourceVersion, ...metadata } = submitted.metadata
    const asked = { ...submitted, metadata }
    const object = await admitAndCreate(endpoint, asked, info.namespace || undefined, context)
    return { object, created: true }
  } catch (error) {
    // Another writer was faster: it is an update now.
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return undefined
    throw error
  }
}

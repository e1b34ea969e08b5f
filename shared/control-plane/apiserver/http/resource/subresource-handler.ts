import { methodNotAllowed, methodNotSupported, notFound } from '../../../apimachinery/errors/factories.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { admissionOf } from '../../registry/admission/request.ts'
import { encodeObject } from '../../registry/decode.ts'
import { keyOf } from '../../registry/definition/names.ts'
import type { DeleteResult, Endpoint, Subresource } from '../../registry/definition/resource-definition.ts'
import type { WriteContext } from '../../registry/definition/write-context.ts'
import { checkNamespace } from '../../registry/writes/create.ts'
import { checkPreconditions, deleteObject } from '../../registry/writes/delete.ts'
import { decodeSubmitted } from '../body/decode-submitted.ts'
import { readBody } from '../body/read-body.ts'
import type { Exchange } from '../exchange.ts'
import { sendStatus } from '../respond.ts'
import { writeOptions } from './write-options.ts'
import { updateFromBody } from './writes/update-handler.ts'
import { type WriteServices, writeContext } from './writes/write-context.ts'

interface SubresourceRequest {
  readonly endpoint: Endpoint
  readonly subresource: Subresource
  /** The object that it is below, in the version of the request. */
  readonly read: () => Promise<KubeObject>
}

/** Serves the paths below an object. */
export class SubresourceHandler {
  readonly #services: WriteServices

  constructor(services: WriteServices) {
    this.#services = services
  }

  /** Returns the object to answer; nothing if it has answered. `checkSubresourceVerb` allows the verb. */
  async handle(exchange: Exchange, request: SubresourceRequest): Promise<KubeObject | undefined> {
    const { verb } = exchange.info
    if (verb === 'get') return await shownObject(request)
    if (verb === 'create') return await this.#create(exchange, request)
    const { object } = await updateFromBody(exchange, request.endpoint, this.#services, request.subresource)
    return object
  }

  async #create(
    exchange: Exchange,
    { endpoint, subresource }: SubresourceRequest,
  ): Promise<KubeObject | undefined> {
    const { warnings } = exchange
    const body = await readBody(exchange, subresource.kind)
    const options = writeOptions(exchange, 'CreateOptions')
    const {
      group = endpoint.definition.group,
      version = endpoint.definition.version,
      kind,
      schema,
    } = subresource
    const readAs = { group, version, kind, schema, strategy: { setDefaults: subresource.setDefaults } }
    const submitted = decodeSubmitted(readAs, {
      ...body,
      validation: options.fieldValidation,
      warnings,
      isKnownKind: this.#services.isKnownKind,
    })
    const context = writeContext(exchange, options, this.#services)
    const { namespace, name, subresource: below } = exchange.info
    checkNamespace(endpoint, name, namespace)
    const admission = admissionOf(
      'CREATE',
      { endpoint, kind: readAs, subresource: below, namespace, name },
      context,
    )
    const asked = withNamespace(submitted, namespace)
    const admitted = admission?.mutates ? await admission.mutate(asked, undefined) : asked
    if (admission?.validates) await admission.validate(admitted, undefined)
    // What is stored may have changed meanwhile; from here to the write nothing is awaited but what writes
    // nothing.
    const stored = endpoint.store.get(endpoint.resource, keyOf(namespace, name))
    if (!stored) throw notFound(endpoint.definition, name)
    const made = subresource.create?.(admitted, stored, context)
    const result = made instanceof Promise ? await made : made
    if (!result) throw methodNotAllowed()
    if (result.action === 'answer') return result.object
    if (result.action === 'delete') deleteAsAsked(endpoint, stored, result, context)
    else if (!context.dryRun) {
      const object = encodeObject(endpoint.definition, result.object)
      endpoint.store.put(endpoint.resource, keyOf(namespace, name), object)
    }
    sendStatus(exchange, 201, result.status)
    return undefined
  }
}

/** Throws a 405 for verbs that the subresource does not have. */
export function checkSubresourceVerb(
  { info: { verb, method } }: Pick<Exchange, 'info'>,
  { definition }: Pick<Endpoint, 'definition'>,
  { verbs }: Subresource,
): void {
  const allowed: readonly string[] = verbs
  if (allowed.includes(verb) && (method !== 'HEAD' || definition.codec)) return
  throw definition.codec ? methodNotSupported(definition, verb) : methodNotAllowed()
}

function deleteAsAsked(
  endpoint: Endpoint,
  stored: KubeObject,
  { options = {}, object, dryRun = false }: DeleteResult,
  context: WriteContext,
): void {
  checkPreconditions(endpoint, stored, options)
  const asked = { ...context, dryRun: context.dryRun || dryRun }
  const { namespace, name = '' } = stored.metadata
  const last =
    object === undefined || asked.dryRun
      ? stored
      : endpoint.store.put(
          endpoint.resource,
          keyOf(namespace, name),
          encodeObject(endpoint.definition, object),
        )
  // They are of the object before that write.
  const { preconditions, ...rest } = options
  deleteObject(endpoint, last, rest, asked)
}

async function shownObject({ subresource: { shows }, read }: SubresourceRequest): Promise<KubeObject> {
  const stored = await read()
  return shows?.read?.(stored) ?? shows?.of(stored) ?? stored
}

function withNamespace(submitted: KubeObject, namespace: string): KubeObject {
  return namespace === '' ? submitted : { ...submitted, metadata: { ...submitted.metadata, namespace } }
}

import { quoted } from '../../../../kubernetes/index.ts'
import {
  badRequest,
  methodNotAllowed,
  noSuchResource,
  notFound,
} from '../../../apimachinery/errors/factories.ts'
import { jsonText } from '../../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { hasProtobuf } from '../../../apimachinery/protobuf/envelope.ts'
import { pathSegmentName } from '../../../apimachinery/validation/names.ts'
import { writeConverted } from '../../registry/conversion/converted-write.ts'
import { apiVersionOf, keyOf } from '../../registry/definition/names.ts'
import type { Endpoint } from '../../registry/definition/resource-definition.ts'
import type { WriteContext } from '../../registry/definition/write-context.ts'
import { answerQuestion, isQuestion } from '../../registry/writes/answer.ts'
import { admitAndCreate } from '../../registry/writes/create.ts'
import { admitAndDelete, deletionAnswer } from '../../registry/writes/delete.ts'
import { decodeSubmitted } from '../body/decode-submitted.ts'
import { readBody } from '../body/read-body.ts'
import { type Exchange, header } from '../exchange.ts'
import { type Negotiated, negotiate, negotiateStream, type Offer } from '../media-types.ts'
import { send, sendPageNotFound, setWarnings } from '../respond.ts'
import { untilDone } from '../until-done.ts'
import type { EventEncoder } from '../watch/encoder.ts'
import { WatchStream } from '../watch/watch.ts'
import { checkReachable, listObjects } from './list.ts'
import { listBody } from './list-body.ts'
import { listOptions, wantsWatch } from './list-options.ts'
import { type ObjectPrinter, printerFor } from './printer.ts'
import { checkVerb, isRouted } from './routes.ts'
import { checkSubresourceVerb, SubresourceHandler } from './subresource-handler.ts'
import { subresourceOf } from './subresource-of.ts'
import { writeOptions } from './write-options.ts'
import { type DeleteRequest, deleteOptions } from './writes/delete-options.ts'
import { withOwnersOnce } from './writes/owner-references.ts'
import { checkPatchType } from './writes/patch-object.ts'
import { updateFromBody } from './writes/update-handler.ts'
import { type WriteServices, writeContext } from './writes/write-context.ts'

export interface HandlerServices extends WriteServices {
  readonly encoder: EventEncoder
}

interface AnswerForm {
  readonly endpoint: Pick<Endpoint, 'definition'>
  readonly negotiated: Negotiated
  readonly code?: number
}

/** Serves the paths of resources. */
export class ResourceHandler {
  readonly #services: HandlerServices
  readonly #subresources: SubresourceHandler

  constructor(services: HandlerServices) {
    this.#services = services
    this.#subresources = new SubresourceHandler(services)
  }

  async handle(exchange: Exchange): Promise<void> {
    const { info } = exchange
    const endpoint = this.#services.registry.endpoint(info.group, info.version, info.resource)
    if (!endpoint || !isRouted(info, endpoint)) {
      if (this.#isCustom(info)) return sendPageNotFound(exchange)
      throw noSuchResource()
    }
    if (info.subresource !== '') return await this.#subresource(exchange, endpoint)
    checkVerb(exchange, endpoint)
    await this.#verb(exchange, endpoint)
  }

  /** Whether a group has custom resources only. Others are not searched for a resource that is missing. */
  #isCustom({ group }: Pick<Exchange['info'], 'group'>): boolean {
    return this.#services.registry.definitions.every((known) => known.group !== group || known.codec)
  }

  async #subresource(exchange: Exchange, endpoint: Endpoint): Promise<void> {
    const subresource = subresourceOf(endpoint, exchange.info.subresource)
    const { definition } = endpoint
    if (!subresource) throw definition.codec ? notFound(definition, exchange.info.name) : noSuchResource()
    checkSubresourceVerb(exchange, endpoint, subresource)
    const { verb } = exchange.info
    // Both may be wrong: the type of a patch is looked at first.
    if (verb === 'patch') checkPatchType(definition, header(exchange.request, 'content-type'))
    const negotiated = negotiate(header(exchange.request, 'accept'), offerOf(exchange, endpoint))
    warnOfDeprecation(exchange, endpoint)
    const object = await this.#subresources.handle(exchange, {
      endpoint,
      subresource,
      read: () => this.#stored(exchange, endpoint),
    })
    const code = verb === 'create' ? 201 : 200
    if (object) this.#answer(exchange, { endpoint: subresource.shows ?? endpoint, negotiated, code }, object)
  }

  async #verb(exchange: Exchange, endpoint: Endpoint): Promise<void> {
    const { info, query, request } = exchange
    if (info.verb === 'watch') return await this.#watch(exchange, endpoint)
    if (info.verb === 'patch') checkPatchType(endpoint.definition, header(request, 'content-type'))
    const negotiated = negotiate(header(request, 'accept'), offerOf(exchange, endpoint))
    warnOfDeprecation(exchange, endpoint)
    switch (info.verb) {
      case 'list':
        return await this.#list(exchange, endpoint, negotiated)
      case 'get':
        await checkReachable(endpoint, query.get('resourceVersion') ?? '')
        return this.#answer(exchange, { endpoint, negotiated }, await this.#stored(exchange, endpoint))
      case 'create':
        return await this.#create(exchange, endpoint, negotiated)
      case 'update':
      case 'patch': {
        const { object, created } = await updateFromBody(exchange, endpoint, this.#services)
        return this.#answer(exchange, { endpoint, negotiated, code: created ? 201 : 200 }, object)
      }
      case 'delete':
        return await this.#delete(exchange, endpoint)
      case 'deletecollection':
        return await this.#deleteCollection(exchange, endpoint, negotiated)
      default:
        throw methodNotAllowed()
    }
  }

  async #list(exchange: Exchange, endpoint: Endpoint, negotiated: Negotiated): Promise<void> {
    const { definition } = endpoint
    const options = listOptions(exchange.query, definition, wantsWatch(exchange.query, exchange.info.verb))
    const list = await listObjects(endpoint, exchange.info.namespace, options)
    const printer = this.#printer(exchange, endpoint, negotiated)
    send(exchange, { code: 200, body: printer?.list(list) ?? listBody(endpoint.definition, list) })
  }

  async #watch(exchange: Exchange, endpoint: Endpoint): Promise<void> {
    const { info, query, request, response } = exchange
    warnOfDeprecation(exchange, endpoint)
    const selected = info.name === '' ? query : withName(query, info.name)
    const options = listOptions(selected, endpoint.definition, true)
    const negotiated = negotiateStream(header(request, 'accept'), offerOf(exchange, endpoint))
    const printer = this.#printer(exchange, endpoint, negotiated)
    const stream = new WatchStream(
      {
        endpoint,
        namespace: info.namespace,
        options,
        encoder: this.#services.encoder,
        format: negotiated.format,
        ...(printer ? { printer } : {}),
      },
      response,
    )
    setWarnings(exchange)
    await stream.start()
  }

  async #create(exchange: Exchange, endpoint: Endpoint, negotiated: Negotiated): Promise<void> {
    const { info, warnings } = exchange
    const body = await readBody(exchange, endpoint.definition.kind)
    const options = writeOptions(exchange, 'CreateOptions')
    const decoded = decodeSubmitted(endpoint.definition, {
      ...body,
      validation: options.fieldValidation,
      warnings,
      isKnownKind: this.#services.isKnownKind,
    })
    const submitted = withOwnersOnce(decoded, warnings)
    const context = writeContext(exchange, options, this.#services)
    const namespace = info.namespace || undefined
    await endpoint.definition.strategy?.load?.()
    const object = isQuestion(endpoint)
      ? await answerQuestion(endpoint, submitted, namespace, context)
      : await createConverted(endpoint, submitted, namespace, context)
    this.#answer(exchange, { endpoint, negotiated, code: 201 }, object)
  }

  async #delete(exchange: Exchange, endpoint: Endpoint): Promise<void> {
    const options = deleteOptions(await readBody(exchange), exchange.query)
    const context = deleteContext(exchange, options, this.#services)
    const { namespace, name } = exchange.info
    const key = keyOf(namespace, name)
    const deletion = await untilDone(() =>
      writeConverted({ endpoint, key, verb: 'delete', dryRun: options.dryRun }, async (at) => {
        checkPathName(name)
        const current = at.store.get(at.resource, key)
        if (!current) throw notFound(endpoint.definition, name)
        return await admitAndDelete({ endpoint: at, current, name }, options, context)
      }),
    )
    send(exchange, { code: 200, body: jsonText(deletionAnswer(endpoint, deletion)) })
  }

  async #deleteCollection(exchange: Exchange, endpoint: Endpoint, negotiated: Negotiated): Promise<void> {
    const { query, info } = exchange
    const options = listOptions(query, endpoint.definition, false)
    const deletion = deleteOptions(await readBody(exchange), query)
    const list = await listObjects(endpoint, info.namespace, options)
    const context = deleteContext(exchange, deletion, this.#services)
    for (const { object } of list.items) await deleteListed(endpoint, object, deletion, context)
    const printer = this.#printer(exchange, endpoint, negotiated)
    send(exchange, { code: 200, body: printer?.list(list) ?? listBody(endpoint.definition, list) })
  }

  /** Reads the object of the request, in its version. */
  async #stored({ info }: Pick<Exchange, 'info'>, endpoint: Endpoint): Promise<KubeObject> {
    const stored = this.#inStore({ info }, endpoint)
    return endpoint.converted ? await endpoint.converted.read(stored) : stored
  }

  #inStore({ info }: Pick<Exchange, 'info'>, { definition, resource, store }: Endpoint): KubeObject {
    checkPathName(info.name)
    const stored = store.get(resource, keyOf(info.namespace, info.name))
    if (!stored) throw notFound(definition, info.name)
    return stored
  }

  #answer(exchange: Exchange, { endpoint, negotiated, code = 200 }: AnswerForm, object: KubeObject): void {
    const printer = this.#printer(exchange, endpoint, negotiated)
    send(exchange, {
      code,
      body: printer?.object(object) ?? jsonText(object),
    })
  }

  #printer(
    exchange: Exchange,
    { definition }: Pick<Endpoint, 'definition'>,
    { as }: Negotiated,
  ): ObjectPrinter | undefined {
    return as && printerFor(as, definition, exchange.query, this.#services.now())
  }
}

/** Reports whether a resource has protobuf; custom resources do not. */
const offersProtobuf = ({ definition }: Endpoint): boolean =>
  hasProtobuf(apiVersionOf(definition), definition.kind)

function offerOf({ info }: Exchange, endpoint: Endpoint): Offer {
  return {
    protobuf: offersProtobuf(endpoint),
    table: offersTable(endpoint, info.subresource),
    streams: info.verb === 'list' || info.verb === 'watch',
    custom: endpoint.definition.codec !== undefined,
  }
}

/** Reports whether a resource has tables; one that is only created has none: reviews, tokens, evictions. */
const offersTable = (endpoint: Endpoint, subresource: string): boolean =>
  !isQuestion(endpoint) && subresourceOf(endpoint, subresource)?.create === undefined

function withName(query: URLSearchParams, name: string): URLSearchParams {
  const selected = new URLSearchParams(query)
  selected.set('fieldSelector', `metadata.name=${name}`)
  return selected
}

/** Warns of a deprecated resource, but only if path, verb and media types are valid for it. */
function warnOfDeprecation({ warnings }: Exchange, { definition: { deprecation } }: Endpoint): void {
  if (deprecation) warnings.push(deprecation)
}

function deleteContext(
  exchange: Exchange,
  { dryRun, sent }: DeleteRequest,
  services: HandlerServices,
): WriteContext {
  return writeContext(exchange, { dryRun, fieldManager: '', sent }, services)
}

/** Deletes one object of a collection, unless it has gone while others were deleted. */
async function deleteListed(
  endpoint: Endpoint,
  object: KubeObject,
  options: DeleteRequest,
  context: WriteContext,
): Promise<void> {
  const { namespace, name = '' } = object.metadata
  const key = keyOf(namespace, name)
  await untilDone(() =>
    writeConverted({ endpoint, key, verb: 'delete', dryRun: options.dryRun }, async (at) => {
      const current = at.store.get(at.resource, key)
      if (current === undefined) return { object, gone: true }
      return await admitAndDelete({ endpoint: at, current, name: '' }, options, context)
    }),
  )
}

/** Creates as `admitAndCreate` does. If another writer was faster than the conversion, finds its object. */
async function createConverted(
  endpoint: Endpoint,
  submitted: KubeObject,
  namespace: string | undefined,
  context: WriteContext,
): Promise<KubeObject> {
  const { object } = await untilDone(() =>
    writeConverted({ endpoint, key: '', verb: 'create', dryRun: context.dryRun }, async (at) => ({
      object: await admitAndCreate(at, submitted, namespace, context),
    })),
  )
  return object
}

/** Throws a 400 for a name that no object can have, because it cannot be a part of a path. */
function checkPathName(name: string): void {
  const problems = pathSegmentName(name)
  if (problems.length > 0) {
    throw badRequest(`Name parameter invalid: ${quoted(name)}: ${problems.join(';')}`)
  }
}

import { randomUUID } from 'node:crypto'
import { messageOf } from '../../apimachinery/errors/message.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { AdmissionAttributes, RequestLifetime } from '../../apiserver/registry/admission/types.ts'
import type { ObjectReader } from '../../apiserver/registry/object-reader.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import type { MatchedAs } from '../matched-as.ts'
import { convertObject } from '../versions.ts'
import { WebhookClient } from '../webhook-client/webhook-client.ts'
import { WebhookCallError } from './failures.ts'
import {
  type AdmissionResponse,
  checkedResponse,
  decodedReview,
  denialOf,
  type Expected,
} from './response.ts'
import { type ReviewVersion, reviewOf, reviewVersionOf } from './review.ts'
import type { Webhook } from './source.ts'

/** Number of clients to keep, which is upstream's. */
const MOST_CLIENTS = 200

/** Objects of a request that a webhook sees. */
export interface SeenObjects {
  readonly calledFor: MatchedAs
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

/** Asks webhooks, and keeps their connections for the next time. */
export class WebhookCaller {
  readonly #registry: Registry
  readonly #objects: ObjectReader
  /** Clients by `clientConfig`; the ones used last are at the end. */
  readonly #clients = new Map<string, WebhookClient>()
  readonly #closing = new AbortController()

  constructor(registry: Registry) {
    this.#registry = registry
    this.#objects = registry.objects
  }

  /** Returns the objects of the request as the webhook asks for them. */
  async seen(attributes: AdmissionAttributes, calledFor: MatchedAs): Promise<SeenObjects> {
    const convert = async (object: KubeObject | undefined) =>
      object && (await this.converted(object, calledFor, attributes))
    const [object, oldObject] = await Promise.all([convert(attributes.object), convert(attributes.oldObject)])
    return { calledFor, object, oldObject }
  }

  /** Converts an object between the version of the request and the one that the webhook is called for. */
  async converted(object: KubeObject, to: MatchedAs, from: MatchedAs): Promise<KubeObject> {
    return await convertObject(object, this.#endpoint(from), this.#endpoint(to))
  }

  /**
   * Returns the webhook's answer if it allows the request; its warnings and annotations have been passed on.
   * @throws ApiError if it denies the request, WebhookCallError if there is no valid answer
   */
  async ask(
    webhook: Webhook,
    seen: SeenObjects,
    attributes: AdmissionAttributes,
    mutating: boolean,
  ): Promise<AdmissionResponse> {
    const uid = randomUUID()
    const version = reviewVersionOf(webhook.reviewVersions)
    const review = reviewOf({ ...seen, seenAs: seen.calledFor, uid, version }, attributes)
    const answered = await this.#call(webhook, review, { version, lifetime: attributes.lifetime })
    const response = verified(webhook, answered, { uid, version, mutating })
    for (const [key, value] of Object.entries(response.auditAnnotations)) {
      attributes.annotate(`${webhook.name}/${key}`, value)
    }
    for (const warning of response.warnings) attributes.warn(warning)
    if (!response.allowed) throw denialOf(webhook.name, response.status)
    return response
  }

  /** Breaks off the calls that are under way. */
  close(): void {
    this.#closing.abort()
    for (const client of this.#clients.values()) client.retire()
    this.#clients.clear()
  }

  async #call(
    webhook: Webhook,
    review: JsonObject,
    { version, lifetime }: { version: ReviewVersion; lifetime: RequestLifetime },
  ): Promise<JsonObject> {
    try {
      const answer = await this.#client(webhook).call(review, webhook.timeoutSeconds, lifetime)
      return decodedReview(answer, version)
    } catch (error) {
      throw new WebhookCallError(webhook.name, `failed to call webhook: ${messageOf(error)}`, {
        cause: error,
      })
    }
  }

  #client({ clientConfig }: Webhook): WebhookClient {
    const key = JSON.stringify(clientConfig)
    const known = this.#clients.get(key)
    this.#clients.delete(key)
    const { signal } = this.#closing
    const client = known ?? new WebhookClient({ clientConfig, objects: this.#objects, signal })
    this.#clients.set(key, client)
    const [oldest] = this.#clients
    if (oldest && this.#clients.size > MOST_CLIENTS) {
      this.#clients.delete(oldest[0])
      oldest[1].retire()
    }
    return client
  }

  #endpoint({ resource: { group, version, resource } }: MatchedAs) {
    return this.#registry.endpoint(group, version, resource)
  }
}

function verified({ name }: Webhook, review: JsonObject, expected: Expected): AdmissionResponse {
  try {
    return checkedResponse(review, expected)
  } catch (error) {
    throw new WebhookCallError(name, `received invalid webhook response: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

import { randomUUID } from 'node:crypto'
import { messageOf } from '../../apimachinery/errors/message.ts'
import { ApiError } from '../../apimachinery/errors/status.ts'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { checkedObject } from './converted-object.ts'
import { convertedObjects, isReviewVersion, type ReviewVersion, reviewOf } from './review.ts'

/** Objects that one review asks for at most: a large list takes several, so that none grows without bound. */
const MOST_OBJECTS = 500
/** Characters of an error's text, which may quote what a webhook sent. */
const MOST_TEXT = 2000

/** Sends a webhook JSON and returns its answer. Rejects with kube-apiserver's text where there is none. */
type CallWebhook = (body: JsonObject) => Promise<JsonValue>

/** Converts objects by asking a webhook (`spec.conversion.webhook`). */
export class WebhookConverter {
  readonly #versions: readonly string[]
  readonly #call: CallWebhook

  /**
   * @param reviewVersions of ConversionReview, in the webhook's order of preference; the first known one is
   *   sent
   */
  constructor(reviewVersions: readonly string[], call: CallWebhook) {
    this.#versions = reviewVersions
    this.#call = call
  }

  /** Converts objects to `apiVersion`, in their order; those of that version stay. Rejects with a 500. */
  async convert(objects: readonly KubeObject[], apiVersion: string): Promise<KubeObject[]> {
    const others = objects.filter((object) => object.apiVersion !== apiVersion)
    const converted: KubeObject[] = []
    for (let start = 0; start < others.length; start += MOST_OBJECTS) {
      converted.push(...(await this.#ask(others.slice(start, start + MOST_OBJECTS), apiVersion)))
    }
    let next = 0
    return objects.map((object) =>
      object.apiVersion === apiVersion ? object : (converted[next++] ?? object),
    )
  }

  async #ask(objects: readonly KubeObject[], apiVersion: string): Promise<KubeObject[]> {
    try {
      const answers = await this.#answers(objects, apiVersion)
      return objects.map((object, index) =>
        checkedObject(object, answers[index] ?? null, apiVersion, subjectOf(object)),
      )
    } catch (error) {
      const text = messageOf(error)
      throw new ApiError(500, undefined, text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}...` : text)
    }
  }

  async #answers(objects: readonly KubeObject[], desiredAPIVersion: string): Promise<JsonValue[]> {
    const [first] = objects
    const subject = subjectOf(first)
    const version = this.#reviewVersion()
    const uid = randomUUID()
    const answers = await this.#call(reviewOf(version, { uid, desiredAPIVersion, objects }))
      .then((answer) => convertedObjects(answer, version, uid))
      .catch((error: Error) => {
        throw new Error(`${subject} failed: ${error.message}`, { cause: error })
      })
    if (answers.length === objects.length) return answers
    throw new Error(`${subject} returned ${answers.length} objects, expected ${objects.length}`)
  }

  #reviewVersion(): ReviewVersion {
    const version = this.#versions.find(isReviewVersion)
    if (version === undefined) throw new Error('no supported conversion review versions')
    return version
  }
}

function subjectOf(object: KubeObject | undefined): string {
  return `conversion webhook for ${object?.apiVersion}, Kind=${object?.kind}`
}

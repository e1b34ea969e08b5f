import type { LabelRequirement } from '../../../kubernetes/index.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { numberAt, objectAt, objectsAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { requirementsOf } from '../../apimachinery/selectors.ts'
import type { ObjectReader } from '../../apiserver/registry/object-reader.ts'

/** A webhook of a configuration, as the dispatchers use it. */
export interface Webhook {
  /** The same for as long as the webhook stands at its place in its configuration. */
  readonly uid: string
  readonly configuration: string
  readonly name: string
  readonly rules: readonly JsonObject[]
  /** Whether requests for another version of a resource count, too. */
  readonly equivalent: boolean
  readonly namespaceSelector: readonly LabelRequirement[]
  readonly objectSelector: readonly LabelRequirement[]
  readonly matchConditions: readonly JsonObject[]
  readonly clientConfig: JsonObject
  readonly timeoutSeconds: number
  /** A webhook that cannot be called counts as one that allows. */
  readonly ignoresFailure: boolean
  readonly reinvoked: boolean
  readonly reviewVersions: readonly string[]
}

/** The webhooks of all configurations of a kind. */
export class WebhookSource {
  readonly #resource: string
  readonly #objects: ObjectReader
  // Stored objects are never changed, so what was made of one stays right.
  readonly #known = new WeakMap<KubeObject, readonly Webhook[]>()

  /** @param resource as `mutatingwebhookconfigurations.admissionregistration.k8s.io` */
  constructor(resource: string, objects: ObjectReader) {
    this.#resource = resource
    this.#objects = objects
  }

  /** Returns the webhooks in calling order: configurations by name, the webhooks of each as listed. */
  webhooks(): readonly Webhook[] {
    return this.#objects.list(this.#resource).flatMap((configuration) => this.#of(configuration))
  }

  #of(configuration: KubeObject): readonly Webhook[] {
    const known = this.#known.get(configuration)
    if (known) return known
    const webhooks = objectsAt(configuration, 'webhooks').map((webhook, index) =>
      webhookOf(webhook, index, configuration.metadata.name ?? ''),
    )
    this.#known.set(configuration, webhooks)
    return webhooks
  }
}

function webhookOf(webhook: JsonObject, index: number, configuration: string): Webhook {
  const name = stringAt(webhook, 'name')
  return {
    uid: `${configuration}/${name}/${index}`,
    configuration,
    name,
    rules: objectsAt(webhook, 'rules'),
    equivalent: webhook.matchPolicy === 'Equivalent',
    namespaceSelector: requirementsOf(objectAt(webhook, 'namespaceSelector')),
    objectSelector: requirementsOf(objectAt(webhook, 'objectSelector')),
    matchConditions: objectsAt(webhook, 'matchConditions'),
    clientConfig: objectAt(webhook, 'clientConfig'),
    timeoutSeconds: numberAt(webhook, 'timeoutSeconds') ?? 10,
    ignoresFailure: webhook.failurePolicy === 'Ignore',
    reinvoked: webhook.reinvocationPolicy === 'IfNeeded',
    reviewVersions: stringsAt(webhook, 'admissionReviewVersions'),
  }
}

import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { AdmissionAttributes } from '../../apiserver/registry/admission/types.ts'
import type { SeenAs } from '../versions.ts'

export type ReviewVersion = 'v1' | 'v1beta1'

/** Returns the first known version of AdmissionReview in a webhook's list; validation knows there is one. */
export function reviewVersionOf(versions: readonly string[]): ReviewVersion {
  return versions.find((version) => version === 'v1' || version === 'v1beta1') === 'v1beta1'
    ? 'v1beta1'
    : 'v1'
}

/** Question to a webhook. Objects are in the version that it is called for. */
interface Review {
  readonly uid: string
  readonly version: ReviewVersion
  readonly seenAs: Pick<SeenAs, 'kind' | 'resource'>
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

/** Makes the AdmissionReview of a request, as JSON to be sent. Both versions have the same fields. */
export function reviewOf(review: Review, attributes: AdmissionAttributes): JsonObject {
  const { uid, version } = review
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...requestOf(review, attributes) },
  }
}

/** Makes the `request` of a review without its uid. Match conditions have it as a variable too. */
export function requestOf(
  { seenAs, object, oldObject }: Omit<Review, 'uid' | 'version'>,
  attributes: AdmissionAttributes,
): JsonObject {
  const { kind, resource, subresource, name, namespace, operation, dryRun, options } = attributes
  return {
    kind: { ...seenAs.kind },
    resource: { ...seenAs.resource },
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: { ...kind },
    requestResource: { ...resource },
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: userInfoOf(attributes),
    object: object ?? null,
    oldObject: oldObject ?? null,
    dryRun,
    options,
  }
}

function userInfoOf({ user: { username, uid, groups, extra } }: AdmissionAttributes): JsonObject {
  return {
    username,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(extra && Object.keys(extra).length > 0
      ? { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }
      : {}),
  }
}

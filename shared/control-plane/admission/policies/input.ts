import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { AdmissionAttributes } from '../../apiserver/registry/admission/types.ts'
import type { Endpoint } from '../../apiserver/registry/definition/resource-definition.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import type { ExpressionInput } from '../../cel/index.ts'
import { accessOf } from '../access.ts'
import type { MatchedAs } from '../matched-as.ts'
import { convertObject } from '../versions.ts'
import { requestOf } from '../webhooks/review.ts'

/** Fields of a Namespace that expressions may see. */
const VISIBLE = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
]

/** A request as a policy sees it: in the version that it asks for. */
export interface MatchedRequest {
  readonly matchedAs: MatchedAs
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

export async function matchedRequest(
  matchedAs: MatchedAs,
  attributes: AdmissionAttributes,
  registry: Registry,
): Promise<MatchedRequest> {
  const convert = async (object: KubeObject | undefined): Promise<KubeObject | undefined> =>
    object && (await convertObject(object, endpointOf(attributes, registry), endpointOf(matchedAs, registry)))
  const [object, oldObject] = await Promise.all([convert(attributes.object), convert(attributes.oldObject)])
  return { matchedAs, object, oldObject }
}

/** Converts an object that a policy has made to the version of the request. */
export async function asRequested(
  object: KubeObject,
  matchedAs: MatchedAs,
  attributes: AdmissionAttributes,
  registry: Registry,
): Promise<KubeObject> {
  return await convertObject(object, endpointOf(matchedAs, registry), endpointOf(attributes, registry))
}

export function endpointOf(
  { resource: { group, version, resource } }: MatchedAs,
  registry: Registry,
): Endpoint | undefined {
  return registry.endpoint(group, version, resource)
}

/** Makes the input on which the expressions of a policy are evaluated. */
export function inputOf(
  { matchedAs, object, oldObject }: MatchedRequest,
  params: KubeObject | undefined,
  attributes: AdmissionAttributes,
): ExpressionInput {
  const { resource, subresource, namespace, name } = attributes
  return {
    object,
    oldObject,
    request: requestOf({ seenAs: matchedAs, object: undefined, oldObject: undefined }, attributes),
    params,
    namespaceObject: namespaceObject(attributes),
    access: accessOf(attributes),
    requestResource: { group: resource.group, resource: resource.resource, subresource, namespace, name },
  }
}

/** Returns the namespace of the request; undefined for cluster-scoped objects and for Namespaces. */
function namespaceObject({ resource, namespace, objects }: AdmissionAttributes): JsonObject | undefined {
  const isNamespace = resource.group === '' && resource.resource === 'namespaces'
  const found = namespace === '' || isNamespace ? undefined : objects.get('namespaces', '', namespace)
  if (!found) return undefined
  const metadata = Object.entries(found.metadata).filter(([member]) => VISIBLE.includes(member))
  return {
    metadata: Object.fromEntries(metadata),
    spec: objectAt(found, 'spec'),
    status: objectAt(found, 'status'),
  }
}

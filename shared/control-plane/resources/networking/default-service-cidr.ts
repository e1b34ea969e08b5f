import { conditionOf } from '../../apimachinery/conditions.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, sameJson } from '../../apimachinery/json/values.ts'
import { type KubeObject, timestamp } from '../../apimachinery/objects.ts'
import { serverSideApply } from '../../apiserver/managed-fields/server-side-apply.ts'
import { decodeObject } from '../../apiserver/registry/decode.ts'
import type { Endpoint, Endpoints } from '../../apiserver/registry/definition/resource-definition.ts'
import type { WriteContext } from '../../apiserver/registry/definition/write-context.ts'
import { systemContext } from '../../apiserver/registry/system-context.ts'
import { createObject } from '../../apiserver/registry/writes/create.ts'
import { trackingOf } from '../../apiserver/registry/writes/track-write.ts'
import { updateObject } from '../../apiserver/registry/writes/update.ts'

const NAME = 'kubernetes'
const KIND = 'ServiceCIDR'
const API_VERSION = 'networking.k8s.io/v1'
const STATUS_MANAGER = 'kubernetes-service-cidr-controller'
const MESSAGE = 'Kubernetes default Service CIDR is ready'

/**
 * Makes the ServiceCIDR of the ranges that the server is configured with, and says that it is ready
 * (upstream: pkg/controlplane/controller/defaultservicecidr). One that is there with other blocks is left as
 * it is.
 */
export function ensureDefaultServiceCidr(registry: Endpoints, ranges: readonly string[]): void {
  const endpoint = registry.endpoint('networking.k8s.io', 'v1', 'servicecidrs')
  if (endpoint === undefined) return
  const context = systemContext(registry.objects, Date.now())
  const made: KubeObject = {
    kind: KIND,
    apiVersion: API_VERSION,
    metadata: { name: NAME },
    spec: { cidrs: [...ranges] },
  }
  const stored =
    endpoint.store.get(endpoint.resource, NAME) ?? createObject(endpoint, made, undefined, context)
  const isOurs = sameJson(objectAt(stored, 'spec').cidrs, [...ranges])
  if (
    !isOurs ||
    stored.metadata.deletionTimestamp !== undefined ||
    conditionOf(stored, 'Ready') !== undefined
  )
    return
  const ready = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: timestamp(context.now),
    message: MESSAGE,
  }
  applyStatus(endpoint, stored, { conditions: [ready] }, { ...context, fieldManager: STATUS_MANAGER })
}

/** Writes the status by a server-side apply, as upstream's controller does. */
function applyStatus(
  endpoint: Endpoint,
  stored: KubeObject,
  status: JsonObject,
  context: WriteContext,
): void {
  const { definition } = endpoint
  const applied = serverSideApply(
    stored,
    { kind: KIND, apiVersion: API_VERSION, metadata: { name: NAME }, status },
    { ...trackingOf(definition, context, { subresource: 'status' }), kind: KIND, force: true },
  )
  const subresource = { name: 'status', definition: { kind: KIND, verbs: ['patch' as const] } }
  updateObject({ endpoint, stored, subresource }, decodeObject(definition, applied), {
    ...context,
    applied: true,
  })
}

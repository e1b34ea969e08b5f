import { objectAt, objectsAt, sameJson } from '../../json.ts'
import { type KubeObject, timestamp } from '../../objects.ts'
import { createObject, type Registry, systemContext, updateObject } from '../../registry/index.ts'

const NAME = 'kubernetes'
const STATUS_MANAGER = 'kubernetes-service-cidr-controller'
const MESSAGE = 'Kubernetes default Service CIDR is ready'

/**
 * Makes the ServiceCIDR of the ranges that the server is configured with, and says that it is ready (upstream:
 * pkg/controlplane/controller/defaultservicecidr). One that is there with other blocks is left as it is.
 */
export function ensureDefaultServiceCidr(registry: Registry, ranges: readonly string[]): void {
  const endpoint = registry.endpoint('networking.k8s.io', 'v1', 'servicecidrs')
  if (endpoint === undefined) return
  const context = systemContext(registry.objects, Date.now())
  const made: KubeObject = {
    kind: 'ServiceCIDR',
    apiVersion: 'networking.k8s.io/v1',
    metadata: { name: NAME },
    spec: { cidrs: [...ranges] },
  }
  const stored =
    endpoint.store.get(endpoint.resource, NAME) ?? createObject(endpoint, made, undefined, context)
  const isOurs = sameJson(objectAt(stored, 'spec').cidrs, [...ranges])
  if (!isOurs || stored.metadata.deletionTimestamp !== undefined || readyOf(stored) !== undefined) return
  const ready = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: timestamp(context.now),
    reason: '',
    message: MESSAGE,
  }
  const conditions = [...objectsAt(objectAt(stored, 'status'), 'conditions'), ready]
  const subresource = { name: 'status', definition: { kind: 'ServiceCIDR', verbs: ['update' as const] } }
  updateObject(
    { endpoint, stored, subresource },
    { ...stored, status: { conditions } },
    { ...context, fieldManager: STATUS_MANAGER },
  )
}

function readyOf(object: KubeObject): unknown {
  return objectsAt(objectAt(object, 'status'), 'conditions').find(({ type }) => type === 'Ready')
}

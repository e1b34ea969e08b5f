import { networkInterfaces } from 'node:os'
import { objectAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { endpointIp, familyOf } from '../../apimachinery/validation/ip.ts'
import { decodeObject } from '../../apiserver/registry/decode.ts'
import type { Endpoints, ServerAddress } from '../../apiserver/registry/definition/resource-definition.ts'
import { systemContext } from '../../apiserver/registry/system-context.ts'
import { createObject } from '../../apiserver/registry/writes/create.ts'
import { deleteObject } from '../../apiserver/registry/writes/delete.ts'
import { updateObject } from '../../apiserver/registry/writes/update.ts'

const NAMESPACE = 'default'
const NAME = 'kubernetes'
const PORT = { name: 'https', protocol: 'TCP' }
const SERVICE_PORT = 443

/**
 * Makes the Service `default/kubernetes` with this cluster IP, its Endpoints and its EndpointSlice, which
 * lead to the server itself (upstream: pkg/controlplane/controller/kubernetesservice). Without an address
 * that others could reach there are no endpoints.
 */
export function publishKubernetesService(
  registry: Endpoints,
  clusterIP: string | undefined,
  { host, port }: ServerAddress,
): void {
  ensure(registry, ['', 'v1', 'services'], {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: NAME, labels: { provider: 'kubernetes', component: 'apiserver' } },
    spec: {
      ports: [{ ...PORT, port: SERVICE_PORT, targetPort: port }],
      ...(clusterIP === undefined ? {} : { clusterIP }),
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      type: 'ClusterIP',
    },
  })
  const address = advertised(host)
  if (address === undefined) return
  ensure(registry, ['', 'v1', 'endpoints'], {
    kind: 'Endpoints',
    apiVersion: 'v1',
    // The slice is made here, so the Endpoints need no mirror.
    metadata: { name: NAME, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: address }], ports: [{ ...PORT, port }] }],
  })
  ensure(registry, ['discovery.k8s.io', 'v1', 'endpointslices'], {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: { name: NAME, labels: { 'kubernetes.io/service-name': NAME } },
    addressType: familyOf(address),
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ ...PORT, port }],
  })
}

/** Creates the object, or gives it the server's ports and addresses, which a start may change. */
function ensure(
  registry: Endpoints,
  [group, version, plural]: readonly [group: string, version: string, plural: string],
  object: KubeObject,
): void {
  const endpoint = registry.endpoint(group, version, plural)
  if (endpoint === undefined) return
  const context = systemContext(registry.objects, Date.now())
  const stored = endpoint.store.get(endpoint.resource, `${NAMESPACE}/${NAME}`)
  if (stored !== undefined && stored.addressType === object.addressType) {
    const { metadata, spec, ...content } = object
    const ports =
      spec === undefined
        ? {}
        : { spec: { ...objectAt(stored, 'spec'), ports: objectAt(object, 'spec').ports } }
    updateObject({ endpoint, stored }, { ...stored, ...content, ...ports }, context)
    return
  }
  // The family of a slice is for life.
  if (stored !== undefined) deleteObject(endpoint, stored, {}, context)
  createObject(endpoint, decodeObject(endpoint.definition, object), NAMESPACE, context)
}

/** Returns kube-apiserver's choice of address: the served one, or this machine's for loopback or none. */
function advertised(host: string): string | undefined {
  if (isReachable(host)) return host
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, address }) => !internal && isReachable(address))
  return (own.find(({ family }) => family === 'IPv4') ?? own[0])?.address
}

function isReachable(address: string): boolean {
  return familyOf(address) !== undefined && endpointIp(address).length === 0
}

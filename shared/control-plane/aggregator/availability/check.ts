import { quoted } from '../../../kubernetes/index.ts'
import { listAt, objectAt, objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import { type KubeObject, labelsOf } from '../../apimachinery/objects.ts'
import { connectionFailure } from '../../apiserver/outgoing/connection-failure.ts'
import type { ObjectReader } from '../../apiserver/registry/object-reader.ts'
import { type Availability, pathOf } from '../api-service.ts'
import { authorityOf, type Delegate } from '../delegation/delegate.ts'
import { statusFrom } from '../delegation/fetch.ts'
import { AGGREGATOR_MASTER, identityHeaders } from '../delegation/identity-headers.ts'
import type { ServicePortReference } from '../service-address/resolve.ts'

/** Number of attempts at once. A Service may have several endpoints, and one that answers is enough. */
const ATTEMPTS = 5

/** Checks whether an APIService's server is there, in the words of kube-aggregator's controllers. */
export async function checkAvailability(delegate: Delegate, objects: ObjectReader): Promise<Availability> {
  return serviceProblem(delegate.service, objects) ?? (await checkDiscovery(delegate))
}

function serviceProblem(reference: ServicePortReference, objects: ObjectReader): Availability | undefined {
  const { namespace, name, port } = reference
  const subject = `service/${name} in ${quoted(namespace)}`
  const service = objects.get('services', namespace, name)
  if (!service) return unavailable('ServiceNotFound', `${subject} is not present`)
  const spec = objectAt(service, 'spec')
  // Only of these it is said in the API where they are served.
  if (spec.type !== 'ClusterIP') return undefined
  const servicePort = objectsAt(spec, 'ports').find((candidate) => candidate.port === port)
  if (!servicePort) return unavailable('ServicePortError', `${subject} is not listening on port ${port}`)
  const slices = objects
    .list('endpointslices.discovery.k8s.io', namespace)
    .filter((slice) => labelsOf(slice)['kubernetes.io/service-name'] === name)
  if (slices.length === 0)
    return unavailable('EndpointsNotFound', `cannot find endpointslices for ${subject}`)
  const portName = stringAt(servicePort, 'name')
  if (slices.some((slice) => hasEndpoint(slice, portName))) return undefined
  const message = `endpointslices for ${subject} have no addresses with port name ${quoted(portName)}`
  return unavailable('MissingEndpoints', message)
}

function hasEndpoint(slice: KubeObject, portName: string): boolean {
  const isReady = objectsAt(slice, 'endpoints').some(
    (endpoint) =>
      objectAt(endpoint, 'conditions').ready !== false && listAt(endpoint, 'addresses').length > 0,
  )
  const hasPort = objectsAt(slice, 'ports').some(
    (port) => stringAt(port, 'name') === portName && typeof port.port === 'number',
  )
  return isReady && hasPort
}

async function checkDiscovery(delegate: Delegate): Promise<Availability> {
  const attempts = await settle(Array.from({ length: ATTEMPTS }, () => attempt(delegate)))
  if (attempts === undefined) return { status: 'True', reason: 'Passed', message: 'all checks passed' }
  return unavailable('FailedDiscoveryCheck', attempts)
}

/** Returns undefined as soon as one has succeeded, or why the last one has not. */
async function settle(attempts: readonly Promise<void>[]): Promise<string | undefined> {
  try {
    await Promise.any(attempts)
    return undefined
  } catch (error) {
    return connectionFailure(error)
  }
}

async function attempt(delegate: Delegate): Promise<void> {
  const { address } = delegate
  const url = `https://${authorityOf(address)}${pathOf(delegate.groupVersion)}`
  const fail = (why: string): Error => new Error(`failing or missing response from ${url}: ${why}`)
  const headers = identityHeaders(AGGREGATOR_MASTER)
  const status = await statusFrom(delegate, { path: pathOf(delegate.groupVersion), headers, address }).catch(
    (error: unknown) => {
      throw fail(`Get ${quoted(url)}: ${connectionFailure(error)}`)
    },
  )
  if (status < 200 || status >= 300) throw fail(`bad status from ${url}: ${status}`)
}

function unavailable(reason: string, message: string): Availability {
  return { status: 'False', reason, message }
}

import { derivedServiceName } from '../../../shared/fleet/index.ts'
import type { AuditedRequest } from './audit-log.ts'
import type { FleetService } from './workload.ts'

const WRITES = new Set(['create', 'update', 'patch', 'delete'])

export const writesOf = (requests: readonly AuditedRequest[]): AuditedRequest[] =>
  requests.filter(({ verb }) => WRITES.has(verb))

export const readsOf = (requests: readonly AuditedRequest[]): AuditedRequest[] =>
  requests.filter(({ verb, resource }) => (verb === 'get' || verb === 'list') && resource !== '')

/** Finds reads that are not about one of these Services, its export, import, derived Service or slices. */
export function readsBeside(
  requests: readonly AuditedRequest[],
  services: ReadonlySet<FleetService>,
): AuditedRequest[] {
  const known = new Set<string>()
  for (const { namespace, name } of services) {
    known.add(`${namespace}/${name}`)
    known.add(`${namespace}/${derivedServiceName(namespace, name)}`)
  }
  return readsOf(requests).filter((request) => !known.has(`${request.namespace}/${subjectOf(request)}`))
}

/** Finds whom a read is about: a list of slices says so in its selector, a slice in its name. */
function subjectOf({ name, resource, uri }: AuditedRequest): string {
  const selector = new URL(uri, 'https://server').searchParams.get('labelSelector') ?? ''
  if (resource === 'namespaces') return name
  if (resource !== 'endpointslices') return name
  const label = /(?:service-name)(?:=|%3D|\s+in\s+\()([^,)]+)/.exec(selector)?.[1]
  return label ?? name.replace(/-[a-z0-9]{5,10}$/, '')
}

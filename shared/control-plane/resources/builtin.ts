import type { ResourceDefinition } from '../apiserver/registry/index.ts'
import { LazyCel } from '../cel/lazy-cel.ts'
import { admissionPolicies, webhookConfigurations } from './admission-registration/index.ts'
import { certificateSigningRequests } from './certificate-requests/index.ts'
import { configMaps } from './config-maps.ts'
import { endpointSlices } from './endpoint-slices.ts'
import { endpoints } from './endpoints/index.ts'
import { events, eventsOfGroup } from './events/index.ts'
import { flowSchemas, priorityLevels } from './flow-control/index.ts'
import { leases } from './leases.ts'
import { namespaces } from './namespaces.ts'
import { ipAddresses, serviceCidrs } from './networking/index.ts'
import { nodes } from './nodes.ts'
import { pods } from './pods/index.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './rbac/index.ts'
import { resourceQuotas } from './resource-quotas/index.ts'
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  tokenReviews,
} from './reviews/index.ts'
import { secrets } from './secrets.ts'
import { serviceAccounts } from './service-accounts.ts'
import { services } from './services/index.ts'

/** Cluster IPs of both families, as a dual-stack cluster has them. */
const DEFAULT_RANGES: readonly string[] = ['10.0.0.0/16', 'fd00:10::/108']

/**
 * `generic`: what every control plane has. `services`: Services, Pods, Nodes, their addresses and endpoints
 * too.
 */
export type ResourceSet = 'generic' | 'services'

/** Resources about permissions, and the reviews that ask about them. */
const access: readonly ResourceDefinition[] = [
  roles,
  roleBindings,
  clusterRoles,
  clusterRoleBindings,
  selfSubjectReviews,
  tokenReviews,
  subjectAccessReviews,
  selfSubjectAccessReviews,
  localSubjectAccessReviews,
  selfSubjectRulesReviews,
]

/**
 * Returns the resources of a set. `serviceRanges` are the CIDR blocks of cluster IPs.
 * @example
 * ```ts
 * builtinResources('generic').some(({ kind }) => kind === 'Namespace') // => true
 * builtinResources('services', ['10.96.0.0/16']).some(({ kind }) => kind === 'Service') // => true
 * ```
 */
export function builtinResources(
  set: ResourceSet,
  serviceRanges: readonly string[] = DEFAULT_RANGES,
): ResourceDefinition[] {
  const cel = new LazyCel()
  const generic = [
    namespaces,
    configMaps,
    secrets,
    serviceAccounts,
    events,
    eventsOfGroup,
    leases,
    resourceQuotas,
    certificateSigningRequests,
    priorityLevels,
    flowSchemas,
    ...webhookConfigurations(cel),
    ...admissionPolicies(cel),
    ...access,
  ]
  if (set === 'generic') return generic
  return [
    ...generic,
    services(serviceRanges),
    pods,
    nodes,
    endpointSlices,
    endpoints,
    ipAddresses,
    serviceCidrs(serviceRanges),
  ]
}

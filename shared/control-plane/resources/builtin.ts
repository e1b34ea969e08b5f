import type { ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'
import { LazyCel } from '../cel/lazy-cel.ts'
import { admissionPolicies } from './admission-registration/policies/policies.ts'
import { webhookConfigurations } from './admission-registration/webhook-configurations.ts'
import { certificateSigningRequests } from './certificate-requests/definition.ts'
import { configMaps } from './config-maps.ts'
import { endpointSlices } from './endpoint-slices.ts'
import { endpoints } from './endpoints/index.ts'
import { events } from './events/core-events.ts'
import { eventsOfGroup } from './events/group-events.ts'
import { flowSchemas } from './flow-control/flow-schemas.ts'
import { priorityLevels } from './flow-control/priority-levels.ts'
import { leases } from './leases.ts'
import { namespaces } from './namespaces.ts'
import { ipAddresses } from './networking/ip-addresses.ts'
import { serviceCidrs } from './networking/service-cidrs.ts'
import { nodes } from './nodes.ts'
import { pods } from './pods/index.ts'
import { clusterRoleBindings, roleBindings } from './rbac/bindings.ts'
import { clusterRoles, roles } from './rbac/roles.ts'
import { resourceQuotas } from './resource-quotas/definition.ts'
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from './reviews/access-reviews.ts'
import { selfSubjectReviews, tokenReviews } from './reviews/identity-reviews.ts'
import { secrets } from './secrets.ts'
import { serviceAccounts } from './service-accounts.ts'
import { services } from './services/index.ts'

/** Cluster IPs of both families, as a dual-stack cluster has them. */
const DEFAULT_RANGES: readonly string[] = ['10.0.0.0/16', 'fd00:10::/108']

/** `generic`: what every control plane has. `services`: also Services, Pods, Nodes, addresses, endpoints. */
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

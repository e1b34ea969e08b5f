import { hash } from 'node:crypto'
import type * as v from 'valibot'
import { rangesProblem, SPECIAL } from './address-ranges.ts'
import { clusterSetsProblem, NO_CLUSTER_SETS } from './cluster-sets.ts'
import { addressGrantsProblem, NO_GRANTS, podGrantsProblem } from './grants.ts'
import { choice, integer, number, settingsAbout, text, truth } from './setting.ts'
import { labelValueProblem } from './text-settings.ts'

const published = settingsAbout('What is published:')
const guard = settingsAbout('Guards:')
const grant = settingsAbout('What annotations may name:')
const ofClusterSets = settingsAbout('Services over several clusters:')

/**
 * Settings that decide what is published: those that selection, planning and the guards read. All others are
 * in {@link PROCESS_SCHEMAS}. After a change of one of these, the state that was stored for a cluster is
 * stale: {@link contentDigest}.
 */
export const CONTENT_SCHEMAS = {
  mode: published(
    choice(['custom', 'replace']),
    'custom',
    'MODE',
    'custom: manage Services without a selector that have the annotation sliceflow.dev/selector; replace: manage every Service with a selector, in place of the in-tree endpointslice-controller, which must be off',
  ),
  managedBy: published(
    text(labelValueProblem),
    'sliceflow.dev',
    'VALUE',
    'value of the label endpointslice.kubernetes.io/managed-by: only slices with this value are ever written or deleted; the in-tree controller’s value, endpointslice-controller.k8s.io, needs mode replace',
  ),
  shadow: published(
    truth(),
    false,
    'BOOLEAN',
    'true: compare what Sliceflow would publish with the slices in the cluster, report the differences, and write nothing',
  ),
  maxEndpointsPerSlice: published(
    integer(1, 1000, 'endpoints'),
    100,
    'N',
    'maximum number of endpoints in a slice, 1 to 1000: larger slices are fewer, but each change sends a larger one',
  ),
  packing: published(
    choice(['upstream', 'compact']),
    'upstream',
    'POLICY',
    'upstream: slices are never merged, as in the in-tree controller; compact: slices are merged where that saves one, with at most 8 further writes a plan',
  ),
  leftovers: published(
    choice(['auto', 'keep', 'delete']),
    'auto',
    'POLICY',
    'what happens to our slices of a Service that lost its selector or annotation, or became an ExternalName: keep or delete; auto: delete in mode custom, keep in mode replace as the in-tree controller does; slices of a deleted Service are always deleted; slices that the other mode would keep are deleted only once others publish their endpoints, or after a release',
  ),
  mirrorEndpoints: published(
    truth(),
    false,
    'BOOLEAN',
    'true: mirror the Endpoints of a Service without a selector into slices, as the in-tree endpointslicemirroring-controller does; turn that controller off (--controllers=*,-endpointslice-mirroring-controller)',
  ),
  endpointSelectors: published(
    truth(),
    false,
    'BOOLEAN',
    'true: publish slices for each EndpointSelector (KEP-6116, in the groups sliceflow.dev and, where it is served, discovery.k8s.io), in either mode; needs its definition (sliceflow crds) and permission to read it, and a managedBy of our own',
  ),
  serviceProjection: published(
    truth(),
    false,
    'BOOLEAN',
    'true: beside each Service with a selector, keep an EndpointSelector (sliceflow.dev) of its name and selector for readers that refer to one, as KEP-6116 plans it; it has no slices of its own; needs endpointSelectors and permission to write them (sliceflow rbac --endpoint-selectors projection); turned off again, they are deleted',
  ),
  unreachableCluster: guard(
    choice(['keep', 'expire', 'drop']),
    'keep',
    'POLICY',
    'what happens to endpoints in a cluster that cannot be reached, or refuses reads for a minute (annotation sliceflow.dev/cluster): keep them, remove them after unreachableClusterExpiry (expire), or remove them at once (drop)',
  ),
  unreachableClusterExpiry: guard(
    integer(1, 604_800, 'seconds'),
    3600,
    'SECONDS',
    'with unreachableCluster expire: endpoints that could not be verified for this time are removed at the next reconcile, 1 to 604800 s',
  ),
  clusterSets: ofClusterSets(
    text(clusterSetsProblem),
    NO_CLUSTER_SETS,
    'JSON',
    'cluster sets, as a JSON list: a Service that one cluster of a set exports (ServiceExport, KEP-1645) is imported in all of its clusters; a set has a name, clusters (each a name, or a tagKey with a tagValue; an id, a role: both, export, import or leave, and properties), namespaces, clusterSelection (true: exports may prefer clusters by their properties, KEP-5939), and its own unreachableCluster and unreachableClusterExpiry; none: no sets',
  ),
  maximumRemoval: guard(
    number(0, 1),
    1,
    'SHARE',
    'a plan that would remove more than this share of a Service’s ready endpoints is held until it is released, 0 to 1; 1: never held',
  ),
  maximumRemovalCount: guard(
    integer(0, 100_000, 'endpoints'),
    2,
    'N',
    'with maximumRemoval: a plan that removes no more ready endpoints than this is never held, so that small Services can be scaled to zero, 0 to 100000',
  ),
  heldPlanExpiry: guard(
    integer(0, 604_800, 'seconds'),
    3600,
    'SECONDS',
    'a held plan is applied at the first reconcile after this time even if it was not released, 0 to 604800 s; 0: never',
  ),
  refusedAddresses: guard(
    text(rangesProblem),
    SPECIAL,
    'RANGES',
    'addresses in these CIDR ranges, separated by commas, are never published; special (always included): loopback, link-local, unspecified and multicast, the metadata and credential services of clouds, and IPv6 addresses that embed one of these (NAT64, 6to4, Teredo); none: every address is allowed',
  ),
  allowedPods: grant(
    text(podGrantsProblem),
    NO_GRANTS,
    'GRANTS',
    'pods that Services may select outside of their own namespace (annotations sliceflow.dev/cluster and /namespace): CLUSTER/NAMESPACE=CLUSTER/NAMESPACE, separated by commas; Services of the first may select pods of the second; * matches any text, and . on the right is the Service’s own cluster or namespace; none: no others',
  ),
  allowedNetworks: grant(
    text(addressGrantsProblem),
    NO_GRANTS,
    'GRANTS',
    'addresses on secondary networks (annotation sliceflow.dev/network) that Services may publish: CLUSTER/NAMESPACE=CIDR, separated by commas; users who may annotate a pod can choose them; none: no such addresses',
  ),
  allowedAddresses: grant(
    text(addressGrantsProblem),
    NO_GRANTS,
    'GRANTS',
    'addresses that Services may name in the annotation sliceflow.dev/addresses: CLUSTER/NAMESPACE=CIDR, separated by commas; none: no such addresses',
  ),
  maximumEndpoints: guard(
    integer(0, 1_000_000, 'endpoints'),
    0,
    'N',
    'a Service that would have more endpoints than this is not written: its slices stay as they are, and an Event and a metric report it, 0 to 1000000; 0: no limit',
  ),
} as const

export type ContentSettings = {
  readonly [Name in keyof typeof CONTENT_SCHEMAS]: v.InferOutput<(typeof CONTENT_SCHEMAS)[Name]>
}

/** Hashes the settings that decide what is published: equal settings give equal digests in every process. */
export function contentDigest(settings: Partial<ContentSettings>): string {
  const names = Object.keys(CONTENT_SCHEMAS).sort() as (keyof ContentSettings)[]
  const values = names.map((name) => [name, settings[name]])
  return hash('sha256', JSON.stringify(values), 'base64url').slice(0, 22)
}

/** Picks from all settings those that decide what is published. */
export const contentSettings = (settings: ContentSettings): ContentSettings =>
  Object.fromEntries(
    Object.keys(CONTENT_SCHEMAS).map((name) => [name, settings[name as keyof ContentSettings]]),
  ) as ContentSettings

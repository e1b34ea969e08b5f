import type { Service } from '../../endpointslice/index.ts'
import { grantedRanges } from '../../settings/index.ts'
import { ANNOTATION_NETWORK } from './annotations.ts'
import type { Permissions } from './permissions.ts'
import { type PodSelection, RefusedError, type Source } from './source.ts'

/** Addresses that pods have on another network than the cluster's own. */
export const NETWORKS = {
  name: 'networks',
  summary: 'beside a selector: the pods’ addresses on a secondary network',
  annotations: {
    [ANNOTATION_NETWORK]: [
      // A namespace, a slash and a DNS subdomain.
      { kind: 'length', most: 317 },
      {
        kind: 'pattern',
        pattern: /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?\/)?[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/,
        problem: 'is neither namespace/name nor name',
        isQuoted: true,
      },
    ],
  },
  grantedBy: 'allowedNetworks',
  refines: 'pods',
  refine,
} as const satisfies Source

function refine({ metadata }: Service, { cluster, settings }: Permissions): Partial<PodSelection> {
  const { [ANNOTATION_NETWORK]: network } = metadata?.annotations ?? {}
  if (network === undefined) return {}
  const namespace = metadata?.namespace ?? ''
  const networkRanges = grantedRanges(settings.allowedNetworks, { cluster, namespace })
  if (networkRanges.length > 0) return { network, networkRanges }
  throw new RefusedError(
    ANNOTATION_NETWORK,
    `Services of namespace ${namespace} may not publish addresses of secondary networks (setting allowedNetworks)`,
  )
}

import {
  grantedRanges,
  grantsPods,
  type NamespaceOfCluster,
  NO_GRANTS,
  type Settings,
} from '../../settings/index.ts'

export type PermissionSettings = Pick<Settings, 'allowedPods' | 'allowedNetworks' | 'allowedAddresses'> &
  Partial<Pick<Settings, 'mirrorEndpoints'>>

/**
 * Bounds of what the annotations of a cluster's Services may name beyond the pods of their own namespace.
 * Users who may annotate a Service may not write EndpointSlices (since CVE-2021-25740 not even with the role
 * `edit`): without these bounds Sliceflow would write for him what he may not.
 */
export interface Permissions {
  /**
   * Reports whether its Services may take the pods of a namespace of this cluster, or of another one by its
   * name.
   */
  mayTakePods(namespace: string, of: { readonly cluster?: string; readonly namespace: string }): boolean
  /** Returns CIDR ranges whose addresses on secondary networks its Services may publish. */
  networkRanges(namespace: string): readonly string[]
  /** Returns CIDR ranges whose addresses its Services may name. */
  addressRanges(namespace: string): readonly string[]
  /** True to mirror hand-written Endpoints into slices; default false. */
  readonly mirrorEndpoints?: boolean
}

export function permissionsOf(cluster: string, settings: PermissionSettings): Permissions {
  const service = (namespace: string): NamespaceOfCluster => ({ cluster, namespace })
  return {
    mayTakePods: (namespace, of) => grantsPods(settings.allowedPods, service(namespace), { cluster, ...of }),
    networkRanges: (namespace) => grantedRanges(settings.allowedNetworks, service(namespace)),
    addressRanges: (namespace) => grantedRanges(settings.allowedAddresses, service(namespace)),
    mirrorEndpoints: settings.mirrorEndpoints ?? false,
  }
}

/** Returns the permissions of the settings' defaults. */
export const ownNamespaceOnly = (cluster: string): Permissions =>
  permissionsOf(cluster, {
    allowedPods: NO_GRANTS,
    allowedNetworks: NO_GRANTS,
    allowedAddresses: NO_GRANTS,
  })

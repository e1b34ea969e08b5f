import { NO_GRANTS, type Settings } from '../../settings/index.ts'

export type PermissionSettings = Pick<Settings, 'allowedPods' | 'allowedNetworks' | 'allowedAddresses'> &
  Partial<Pick<Settings, 'mirrorEndpoints' | 'endpointSelectors' | 'serviceProjection'>>

/**
 * Bounds of what the annotations of a cluster's Services may name beyond the pods of their own namespace.
 * Each source reads its own setting. Users who may annotate a Service may not write EndpointSlices (since
 * CVE-2021-25740 not even with the role `edit`): without these bounds Sliceflow would write for them what
 * they may not.
 */
export interface Permissions {
  readonly cluster: string
  readonly settings: PermissionSettings
}

export const permissionsOf = (cluster: string, settings: PermissionSettings): Permissions => ({
  cluster,
  settings,
})

/** Returns the permissions of the settings' defaults. */
export const ownNamespaceOnly = (cluster: string): Permissions =>
  permissionsOf(cluster, {
    allowedPods: NO_GRANTS,
    allowedNetworks: NO_GRANTS,
    allowedAddresses: NO_GRANTS,
  })

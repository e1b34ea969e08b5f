import { parseSettings } from '../../settings/index.ts'
import { type Permissions, permissionsOf } from './permissions.ts'

/** Settings by which annotations may name anything. */
export const ANYTHING = {
  allowedPods: '*/*=*/*',
  allowedNetworks: '*/*=0.0.0.0/0,*/*=::/0',
  allowedAddresses: '*/*=0.0.0.0/0,*/*=::/0',
} as const

export const anythingAllowed = (cluster: string): { readonly permissions: Permissions } => ({
  permissions: permissionsOf(cluster, parseSettings(ANYTHING)),
})

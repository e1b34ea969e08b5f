/** Request to the process of the tenant's cluster. */
export interface TenantOptions {
  readonly cluster: string
  /** A file to write. */
  readonly kubeconfig: string
}

/** Number of the tenant's actions by kind, and of the slices that its webhook has refused. */
export interface AttackCounts {
  readonly selectorChanges: number
  readonly statusUpdates: number
  readonly podChanges: number
  readonly largeUpdates: number
  readonly refusals: number
}

export type ToTenant = { readonly kind: 'populate' } | { readonly kind: 'attack'; readonly seconds: number }

export type FromTenant =
  | { readonly kind: 'serving' }
  | { readonly kind: 'populated' }
  | { readonly kind: 'attacked'; readonly counts: AttackCounts }

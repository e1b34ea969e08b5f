/** What the process of the tenant's cluster is asked for. */
export interface TenantOptions {
  readonly cluster: string
  /** A file to write. */
  readonly kubeconfig: string
}

/** How often the tenant has done what, and how often its webhook has refused a slice. */
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

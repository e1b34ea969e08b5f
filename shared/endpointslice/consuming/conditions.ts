import type { Endpoint } from '../types.ts'

/** An endpoint's conditions as consumers must take them. */
export interface KnownConditions {
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
}

/**
 * Fills in conditions that are not set, by the words of discovery.k8s.io/v1: unknown `ready` means ready,
 * unknown `serving` the same as `ready`, unknown `terminating` means not terminating.
 * @example
 * ```ts
 * conditionsOf({ addresses: ['10.0.0.5'] }) // => { ready: true, serving: true, terminating: false }
 * ```
 */
export function conditionsOf({ conditions }: Endpoint): KnownConditions {
  const ready = conditions?.ready ?? true
  return { ready, serving: conditions?.serving ?? ready, terminating: conditions?.terminating ?? false }
}

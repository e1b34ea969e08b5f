import { deepFreeze } from '../../shared/endpointslice/plan.fixtures.ts'
import type { ApiObject } from '../../shared/kubernetes/index.ts'
import type { SimulatedCluster } from './simulated-api.ts'

/** An object as an API server keeps it; equal objects are one and the same. */
export interface Stored {
  readonly id: number
  readonly object: ApiObject
}

/**
 * Gives every content one number, so that states are compared without reading them again. Objects are frozen,
 * as a worker must not change what it was given.
 */
export interface ObjectPool {
  store(object: ApiObject): Stored
  /** Returns the first cluster of a text that describes a whole one; its number is its key. */
  clusterOf(text: string, cluster: SimulatedCluster): SimulatedCluster
}

export function createObjectPool(): ObjectPool {
  const known = new Map<string, Stored>()
  const clusters = new Map<string, SimulatedCluster>()
  return {
    clusterOf(text, cluster) {
      const known = clusters.get(text) ?? { ...cluster, key: clusters.size }
      clusters.set(text, known)
      return known
    },
    store(object) {
      const text = JSON.stringify(sorted(object))
      const found = known.get(text)
      if (found !== undefined) return found
      const stored = { id: known.size, object: deepFreeze(JSON.parse(text) as ApiObject) }
      known.set(text, stored)
      return stored
    },
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)]),
  )
}

import { afterAll } from 'vitest'
import type { Json } from '../../../../../../test/support/raw-client.ts'
import type { Place } from '../../subject.ts'
import { constraints } from '../scene.ts'

/** Policies as objects, which no request meets. */
export interface PolicyObjects {
  readonly place: Place
  /** Paths of what is deleted after the tests. */
  readonly made: string[]
  /** Returns a valid policy, over which `spec` is laid. */
  validating(spec?: Json): Json
  mutating(spec?: Json): Json
}

export function usePolicyObjects(place: Place): PolicyObjects {
  const made: string[] = []
  afterAll(async () => {
    for (const path of made) await place.client.delete(path)
  })
  const matchConstraints = constraints(place.namespace)
  const validating = (spec: Json = {}): Json => ({
    metadata: { name: 'resources.example.com' },
    spec: { matchConstraints, validations: [{ expression: 'true' }], ...spec },
  })
  const mutating = (spec: Json = {}): Json => ({
    metadata: { name: 'resources.example.com' },
    spec: {
      matchConstraints,
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
      ...spec,
    },
  })
  return { place, made, validating, mutating }
}

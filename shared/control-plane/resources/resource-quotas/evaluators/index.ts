import type { Evaluator } from './evaluator.ts'
import { objectCount } from './object-count.ts'
import { podEvaluator } from './pods.ts'
import { serviceEvaluator } from './services.ts'

export type { Evaluator } from './evaluator.ts'

/**
 * Returns the evaluator of a resource, named as `pods` or `databases.example.org`; undefined if nobody counts
 * it.
 */
export function evaluatorOf(resource: string): Evaluator | undefined {
  switch (resource) {
    case 'events':
    case 'events.events.k8s.io':
    case 'localsubjectaccessreviews.authorization.k8s.io':
      return undefined
    case 'pods':
      return podEvaluator
    case 'services':
      return serviceEvaluator
    default:
      return objectCount(resource)
  }
}

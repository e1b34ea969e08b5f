import { plan } from '../../index.ts'
import type { Outcome, TestCase } from './test-case.ts'

/** Returns the outcome of plan() in the case. */
export function ourOutcome(testCase: TestCase): Outcome {
  const { maxEndpointsPerSlice, triggerTime, controllerName: managedBy } = testCase
  const result = plan(testCase, { maxEndpointsPerSlice, triggerTime, managedBy })
  return {
    create: result.create,
    update: result.update,
    delete: result.delete.map(({ metadata }) => metadata?.name ?? ''),
    events: result.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`),
    error: result.skipped.map(({ kind, name, message }) => `${kind} ${name}: ${message}`).join('; '),
  }
}

import { describe } from 'vitest'
import type { Subject } from '../subject.ts'
import { describeMutation } from './mutation.ts'
import { describeParameters } from './parameters.ts'
import { describePolicyResources } from './resources/index.ts'
import { describeValidation } from './validation.ts'

/** Describes admission by expressions: KEP-3488 (validating) and KEP-3962 (mutating). */
export function describeAdmissionPolicies(subject: Subject): void {
  describe('admission-policies', () => {
    describePolicyResources(subject)
    describeValidation(subject)
    describeParameters(subject)
    describeMutation(subject)
  })
}

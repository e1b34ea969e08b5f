import type { Field } from '../../../apimachinery/validation/field.ts'

export const FAILURE_POLICIES = ['Fail', 'Ignore']
export const REINVOCATION_POLICIES = ['IfNeeded', 'Never']
const ACTIONS = ['Audit', 'Deny', 'Warn']

/** Validates what a binding does where its policy is not met. */
export function validateValidationActions(actions: Field): void {
  const seen = new Set<string>()
  for (const action of actions.items()) {
    action.oneOf(ACTIONS)
    action.unique(seen)
  }
  if (seen.has('Deny') && seen.has('Warn'))
    actions.invalid(
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    )
  actions.notEmpty('at least one validation action is required')
}

import { labelKey } from '../../../kubernetes/index.ts'
import type { Field } from './field.ts'

const STATUSES = ['False', 'True', 'Unknown']
const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?'
const REASON_PATTERN = new RegExp(`^${REASON}$`)
const WRONG_REASON = `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${REASON}')`
/** Bytes. */
const LONGEST_REASON = 1024
const LONGEST_MESSAGE = 32 * 1024

/** Validates conditions (meta/v1 Condition) as apimachinery's ValidateConditions does. */
export function validateConditions(conditions: Field): void {
  const seen = new Set<string>()
  for (const condition of conditions.items()) {
    condition.child('type').unique(seen)
    condition.child('type').follows(labelKey)
    condition.child('status').oneOf(STATUSES)
    condition.child('observedGeneration').atLeast(0, 'must be greater than or equal to zero')
    condition.child('lastTransitionTime').notEmpty()
    validateReason(condition.child('reason'))
    condition.child('message').atMostBytes(LONGEST_MESSAGE)
  }
}

function validateReason(reason: Field): void {
  if (!reason.notEmpty()) return
  if (!REASON_PATTERN.test(reason.text)) reason.invalid(WRONG_REASON)
  reason.atMostBytes(LONGEST_REASON)
}

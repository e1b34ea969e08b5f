import { type FieldError, required } from '../../../apimachinery/errors/index.ts'
import { objectAt, objectsAt, stringAt } from '../../../apimachinery/json/index.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { conditionsErrors } from '../../../apimachinery/validation/index.ts'

/** Validates the status of a ValidatingAdmissionPolicy. */
export function policyStatusErrors({ status }: KubeObject): FieldError[] {
  const holder = typeof status === 'object' && status !== null && !Array.isArray(status) ? status : {}
  const warnings = objectsAt(objectAt(holder, 'typeChecking'), 'expressionWarnings')
  const ofWarnings = warnings.flatMap((warning, index) => {
    const at = `status.typeChecking.expressionWarnings[${index}]`
    return [
      ...(stringAt(warning, 'warning') === '' ? [required(`${at}.warning`)] : []),
      ...(stringAt(warning, 'fieldRef').trim() === '' ? [required(`${at}.fieldRef`)] : []),
    ]
  })
  return [...ofWarnings, ...conditionsErrors(objectsAt(holder, 'conditions'), 'status.conditions')]
}

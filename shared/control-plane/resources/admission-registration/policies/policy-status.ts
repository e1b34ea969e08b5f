import { type FieldError, required } from '../../../errors/index.ts'
import { objectAt, objectsAt, stringAt } from '../../../json.ts'
import type { KubeObject } from '../../../objects.ts'
import { conditionsErrors } from '../../../validation/index.ts'

/** What is wrong with the status of a ValidatingAdmissionPolicy. */
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

import { labelKey, labelValue } from '../../../../kubernetes/index.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import { validateLabels } from '../../../apimachinery/validation/metadata.ts'

/** Validates a meta/v1 LabelSelector (apimachinery/pkg/apis/meta/v1/validation). An absent one is valid. */
export function validateLabelSelector(selector: Field): void {
  validateLabels(selector.child('matchLabels'))
  for (const requirement of selector.child('matchExpressions').items()) {
    validateSelectorOperator(requirement)
    requirement.child('key').follows(labelKey)
    for (const value of requirement.child('values').items()) value.follows(labelValue)
  }
}

/** Validates an operator of a selector's requirement, and whether it has values. */
export function validateSelectorOperator(requirement: Field): void {
  const [operator, values] = [requirement.child('operator'), requirement.child('values')]
  if (operator.text === 'In' || operator.text === 'NotIn')
    values.notEmpty("must be specified when `operator` is 'In' or 'NotIn'")
  else if (operator.text !== 'Exists' && operator.text !== 'DoesNotExist')
    operator.invalid('not a valid selector operator', operator.text)
  else if (values.list.length > 0)
    values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
}

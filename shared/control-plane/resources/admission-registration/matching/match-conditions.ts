import { labelKey } from '../../../../kubernetes/index.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import type { LazyCel } from '../../../cel/lazy-cel.ts'
import { ExpressionChecks } from './expressions.ts'

const MOST = 64

/**
 * Validates `matchConditions` of webhooks and policies, which have no variables.
 * @param cel undefined for conditions that an update leaves as they are: their expressions were valid once
 */
export function validateMatchConditions(conditions: Field, cel: LazyCel | undefined, params: boolean): void {
  conditions.atMostItems(MOST)
  const names = new Set<string>()
  for (const condition of conditions.items()) {
    const [name, expression] = [condition.child('name'), condition.child('expression')]
    const trimmed = expression.with(expression.text.trim())
    if (trimmed.notEmpty() && cel)
      new ExpressionChecks(cel, false).validate(trimmed, { params, authorizer: true }, 'condition')
    if (!name.notEmpty()) continue
    name.follows(labelKey)
    name.unique(names)
  }
}

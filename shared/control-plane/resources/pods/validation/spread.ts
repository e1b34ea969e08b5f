import type { Field } from '../../../apimachinery/validation/field.ts'
import { validateLabelSelector } from '../../admission-registration/matching/label-selector.ts'
import { validateLabelKeys } from './affinity.ts'

const UNSATISFIABLE = ['DoNotSchedule', 'ScheduleAnyway']
const POLICIES = ['Honor', 'Ignore']
const POSITIVE = 'must be greater than zero'

/** Validates how pods are to be spread over nodes (upstream: validateTopologySpreadConstraints). */
export function validateSpread(constraints: Field): void {
  for (const [index, constraint] of constraints.items().entries()) {
    const later = constraints.items().slice(index + 1)
    const unsatisfiable = constraint.child('whenUnsatisfiable')
    constraint.child('maxSkew').atLeast(1, POSITIVE)
    constraint.child('topologyKey').notEmpty('can not be empty')
    unsatisfiable.oneOf(UNSATISFIABLE)
    if (later.some((other) => pairOf(other) === pairOf(constraint)))
      constraint.child('{topologyKey, whenUnsatisfiable}').duplicate(pairOf(constraint))
    const domains = constraint.child('minDomains').ifSet
    domains?.atLeast(1, POSITIVE)
    if (unsatisfiable.text !== 'DoNotSchedule')
      domains?.invalid(
        `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${unsatisfiable.text}`,
      )
    constraint.child('nodeAffinityPolicy').ifSet?.oneOf(POLICIES)
    constraint.child('nodeTaintsPolicy').ifSet?.oneOf(POLICIES)
    validateLabelKeys(constraint, ['matchLabelKeys'])
    validateLabelSelector(constraint.child('labelSelector'))
  }
}

const pairOf = (constraint: Field): string =>
  `{${constraint.child('topologyKey').text}, ${constraint.child('whenUnsatisfiable').text}}`

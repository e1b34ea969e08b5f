import { describeRefusals } from '../../refusals.ts'
import { describeIn, type Subject } from '../../subject.ts'
import { describePolicyExpressions } from './expressions.ts'
import { describePolicyObjects } from './objects.ts'
import { usePolicyObjects } from './scene.ts'

/** Describes policies and bindings as objects. */
export function describePolicyResources(subject: Subject): void {
  describeIn(subject, 'policy-resources', (place) => {
    const objects = usePolicyObjects(place)
    describePolicyObjects(objects)
    describeRefusals(place, 'admission-policies', (wrong, path) =>
      path.includes('/mutating') ? objects.mutating(wrong) : objects.validating(wrong),
    )
    describePolicyExpressions(objects)
  })
}

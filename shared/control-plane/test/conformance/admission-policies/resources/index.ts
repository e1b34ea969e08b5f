import { describeIn, type Subject } from '../../subject.ts'
import { describePolicyExpressions } from './expressions.ts'
import { describeInvalidPolicies } from './invalid.ts'
import { describePolicyObjects } from './objects.ts'
import { usePolicyObjects } from './scene.ts'

/** Describes policies and bindings as objects. */
export function describePolicyResources(subject: Subject): void {
  describeIn(subject, 'policy-resources', (place) => {
    const objects = usePolicyObjects(place)
    describePolicyObjects(objects)
    describeInvalidPolicies(objects)
    describePolicyExpressions(objects)
  })
}

import { describeIn, type Subject } from '../subject.ts'
import { describeConversion } from './conversion/index.ts'
import { describeDefinitions } from './definitions.ts'
import { describeFormattedMessages } from './formatted-messages.ts'
import { describeLargeIntegers } from './large-integers/index.ts'
import { describeObjectsOfThem } from './objects.ts'
import { describeProtectedGroups } from './protected-groups.ts'
import { describeRuleCosts } from './rule-costs.ts'
import { describeRuleValues } from './rule-values.ts'
import { describeRules } from './rules.ts'
import { useScene } from './scene.ts'
import { describeValidation } from './validation.ts'
import { describeVersions } from './versions.ts'
import { describeWrittenValues } from './written-values.ts'

/** Describes CustomResourceDefinitions and the resources that they define. */
export function describeCustomResources(subject: Subject): void {
  describeIn(subject, 'custom-resources', (place) => {
    const scene = useScene(place)
    describeDefinitions(scene)
    describeObjectsOfThem(scene)
    describeRules(scene)
    describeFormattedMessages(scene)
    describeRuleCosts(scene)
    describeRuleValues(scene)
    describeValidation(scene)
    describeLargeIntegers(scene)
    describeWrittenValues(scene)
    describeVersions(scene)
    describeConversion(scene)
    describeProtectedGroups(scene)
  })
}

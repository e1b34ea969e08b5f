import { type LabelSelector, objectFault, type SelectorService } from '../../endpointslice/index.ts'
import {
  type LabelRequirement,
  labelKey,
  labelValue,
  selectorFromExpressions,
} from '../../kubernetes/index.ts'
import { ASKED_SOURCES, type Permissions, PODS_SOURCE } from '../sources/index.ts'
import { refinedPods, usable } from './custom-selection.ts'
import { misspeltAnnotation } from './misspelt-annotation.ts'
import type { InvalidSelection, UnpausedSelection } from './types.ts'

/** Requirements and values at most: each Pod that changes is compared with every one of them. */
const MAX_TERMS = 100

/**
 * Returns the selection of an EndpointSelector, in either mode: the Pods of its selector. Annotations may
 * change where these are, as those of a Service; none may ask for something else.
 */
export function selectorSelection(service: SelectorService, permissions: Permissions): UnpausedSelection {
  const { metadata, labelSelector } = service
  const annotations = metadata?.annotations ?? {}
  const misspelt = misspeltAnnotation(annotations)
  if (misspelt !== undefined)
    return { kind: 'invalid', annotation: misspelt.annotation, problem: misspelt.problem }
  const asked = ASKED_SOURCES.find(({ asks }) => annotations[asks] !== undefined)
  if (asked !== undefined)
    return { kind: 'invalid', annotation: asked.asks, problem: 'an EndpointSelector has its own selector' }
  const problem = selectorProblem(service)
  if (problem !== undefined || labelSelector === undefined)
    return { kind: 'invalid', annotation: SELECTOR_FIELD, problem: problem ?? 'it is missing' }
  const pods = { selector: requirementsOf(labelSelector), namespace: metadata?.namespace ?? '' }
  return usable(service, () => ({
    kind: 'managed',
    ...Object.assign(pods, ...refinedPods(PODS_SOURCE, service, permissions)),
  }))
}

/** Field that an {@link InvalidSelection} names in place of an annotation. */
const SELECTOR_FIELD: InvalidSelection['annotation'] = 'spec.selector'

/** Says what is wrong with a selector that the API server of the definition would have refused. */
function selectorProblem({ metadata, labelSelector }: SelectorService): string | undefined {
  const fault = objectFault('EndpointSelector', { metadata, spec: { selector: labelSelector } })
  if (fault !== undefined) return fault
  const requirements = requirementsOf(labelSelector)
  const terms = requirements.reduce((sum, { values }) => sum + Math.max(1, values.length), 0)
  if (terms > MAX_TERMS) return `it has ${terms} requirements and values, and ${MAX_TERMS} are allowed`
  return requirements.flatMap(({ key, values }) => [...labelKey(key), ...values.flatMap(labelValue)])[0]
}

const requirementsOf = ({ matchLabels, matchExpressions }: LabelSelector = {}): LabelRequirement[] =>
  selectorFromExpressions(matchLabels, matchExpressions)

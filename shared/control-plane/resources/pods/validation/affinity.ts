import { labelKey, labelName, labelValue, subdomainName } from '../../../../kubernetes/index.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import {
  validateLabelSelector,
  validateSelectorOperator,
} from '../../admission-registration/matching/label-selector.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

/** Validates where a pod wants to run, and beside what (upstream: validateAffinity). */
export function validateAffinity(affinity: Field): void {
  const nodes = affinity.child('nodeAffinity')
  const selector = nodes.child(REQUIRED)
  const terms = selector.child('nodeSelectorTerms')
  if (selector.ifObject) terms.notEmpty('must have at least one node selector term')
  for (const term of terms.items()) validateNodeTerm(term, true)
  for (const weighted of nodes.child(PREFERRED).items()) {
    validateWeight(weighted)
    validateNodeTerm(weighted.child('preference'), false)
  }
  for (const member of ['podAffinity', 'podAntiAffinity']) {
    for (const term of affinity.child(member, REQUIRED).items()) validatePodTerm(term)
    for (const weighted of affinity.child(member, PREFERRED).items()) {
      validateWeight(weighted)
      validatePodTerm(weighted.child('podAffinityTerm'))
    }
  }
}

function validateNodeTerm(term: Field, checksValues: boolean): void {
  for (const requirement of term.child('matchExpressions').items()) {
    validateNodeOperator(requirement)
    requirement.child('key').follows(labelKey)
    if (checksValues) for (const value of requirement.child('values').items()) value.follows(labelValue)
  }
  for (const requirement of term.child('matchFields').items()) validateFieldRequirement(requirement)
}

function validateNodeOperator(requirement: Field): void {
  const values = requirement.child('values')
  if (!['Gt', 'Lt'].includes(requirement.child('operator').text)) validateSelectorOperator(requirement)
  else if (values.list.length !== 1)
    values.required("must be specified single value when `operator` is 'Lt' or 'Gt'")
}

/** Validates a field selector. The name of a node is the only field. */
function validateFieldRequirement(requirement: Field): void {
  const [key, operator, values] = [
    requirement.child('key'),
    requirement.child('operator'),
    requirement.child('values'),
  ]
  if (operator.text !== 'In' && operator.text !== 'NotIn')
    operator.invalid('not a valid selector operator', operator.text)
  else if (values.list.length !== 1)
    values.required("must be only one value when `operator` is 'In' or 'NotIn' for node field selector")
  if (key.text !== 'metadata.name') key.invalid('not a valid field selector key', key.text)
  else for (const value of values.items()) value.follows(subdomainName)
}

function validatePodTerm(term: Field): void {
  validateLabelSelector(term.child('labelSelector'))
  validateLabelSelector(term.child('namespaceSelector'))
  for (const namespace of term.child('namespaces').items())
    namespace.as(`${term.path}.namespace`).follows(labelName)
  validateLabelKeys(term, ['matchLabelKeys', 'mismatchLabelKeys'])
  const key = term.child('topologyKey')
  key.notEmpty('can not be empty')
  key.follows(labelKey)
}

/** Validates keys whose values the pod's labels add to the selector, which must be there. */
export function validateLabelKeys(term: Field, members: readonly string[]): void {
  if (term.child('labelSelector').ifObject) return
  for (const keys of members.map((member) => term.child(member)))
    if (keys.list.length > 0) keys.forbidden('must not be specified when labelSelector is not set')
}

function validateWeight(term: Field): void {
  term.child('weight').between(1, 100, 'must be in the range 1-100')
}

import { sameJson } from '../../apimachinery/json/values.ts'
import type { Field } from '../../apimachinery/validation/field.ts'
import { fixedSpec } from './bootstrap.ts'
import { goForm } from './go-form.ts'
import { validateStatus } from './status.ts'

const EXEMPT = 'exempt'
/** Bits of the hash that shuffle sharding deals hands by. */
const HASH_BITS = 60

/** Validates a priority level as upstream's ValidatePriorityLevelConfiguration does. */
export function validatePriorityLevel(level: Field): void {
  const name = level.child('metadata', 'name').text
  const spec = level.child('spec')
  const type = spec.child('type')
  if ((name === EXEMPT) !== (type.text === 'Exempt'))
    type.invalid("must be 'Exempt' if and only if `name` is 'exempt'", type.text)
  validateType(spec)
  validateFixed(spec, name)
  validateStatus(level)
}

function validateType(spec: Field): void {
  const [type, limited, exempt] = [spec.child('type'), spec.child('limited'), spec.child('exempt')]
  switch (type.text) {
    case 'Exempt':
      validateConcurrency(exempt)
      return
    case 'Limited':
      if (exempt.ifObject) exempt.forbidden('must be nil if the type is Limited')
      if (!limited.ifObject) limited.required('must not be empty when type is Limited')
      validateConcurrency(limited)
      if (limited.ifObject) validateResponse(limited.child('limitResponse'))
      return
    default:
      type.notEmpty()?.oneOf(['Exempt', 'Limited'])
  }
}

function validateConcurrency(level: Field): void {
  level.child('nominalConcurrencyShares').atLeast(0, 'must be a non-negative integer')
}

function validateResponse(response: Field): void {
  const [type, queuing] = [response.child('type'), response.child('queuing')]
  type.oneOf(['Queue', 'Reject'])
  if (type.text === 'Reject' && queuing.ifObject)
    queuing.forbidden('must be nil if limited.limitResponse.type is not Limited')
  if (type.text !== 'Queue') return
  if (queuing.ifObject) validateQueuing(queuing)
  else queuing.required('must not be empty if limited.limitResponse.type is Limited')
}

function validateQueuing(queuing: Field): void {
  const [queues, hand] = [queuing.child('queues'), queuing.child('handSize')]
  queuing.child('queueLengthLimit').atLeast(1, 'must be positive')
  queues.atLeast(1, 'must be positive')
  const problem = handSizeProblem(hand.number, queues.number)
  if (problem !== undefined) hand.invalid(problem, hand.number)
}

function handSizeProblem(hand: number, queues: number): string | undefined {
  if (hand <= 0) return 'must be positive'
  if (hand > queues) return `should not be greater than queues (${queues})`
  return Math.ceil(Math.log2(queues) * hand) > HASH_BITS
    ? `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${HASH_BITS}`
    : undefined
}

/** Refuses changes of the mandatory levels. Only the share of the exempt level may change. */
function validateFixed(spec: Field, name: string): void {
  const fixed = fixedSpec('prioritylevelconfigurations', name)
  if (fixed === undefined) return
  const [isRight, why] =
    name === EXEMPT
      ? [
          sameJson({ ...spec.object, exempt: {} }, { ...fixed, exempt: {} }),
          `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`,
        ]
      : [sameJson(spec.value, fixed), `spec of '${name}' must equal the fixed value`]
  if (!isRight) spec.invalid(why, goForm(spec.object, 'flowcontrol.PriorityLevelConfigurationSpec'))
}

import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, numberAt, objectAt, sameJson, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { fixedSpec } from './bootstrap.ts'
import { goForm } from './go-form.ts'
import { statusErrors } from './status.ts'

const EXEMPT = 'exempt'
/** Bits of the hash that shuffle sharding deals hands by. */
const HASH_BITS = 60

/** Validates a priority level as upstream's ValidatePriorityLevelConfiguration does. */
export function priorityLevelErrors(level: KubeObject): FieldError[] {
  const { name = '' } = level.metadata
  const spec = objectAt(level, 'spec')
  return [...specErrors(spec, name), ...fixedErrors(spec, name), ...statusErrors(level)]
}

function specErrors(spec: JsonObject, name: string): FieldError[] {
  const type = stringAt(spec, 'type')
  const mismatch =
    (name === EXEMPT) === (type === 'Exempt')
      ? []
      : [invalidValue('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'")]
  return [...mismatch, ...typeErrors(spec, type)]
}

function typeErrors(spec: JsonObject, type: string): FieldError[] {
  const { limited, exempt } = spec
  if (type === 'Exempt') {
    return isObject(exempt) ? concurrencyErrors(exempt, 'spec.exempt') : []
  }
  if (type === 'Limited') {
    return [
      ...(isObject(exempt) ? [forbiddenField('spec.exempt', 'must be nil if the type is Limited')] : []),
      ...(isObject(limited)
        ? limitedErrors(limited, 'spec.limited')
        : [required('spec.limited', 'must not be empty when type is Limited')]),
    ]
  }
  return type === '' ? [required('spec.type')] : [notSupported('spec.type', type, ['Exempt', 'Limited'])]
}

function concurrencyErrors(level: JsonObject, at: string): FieldError[] {
  const shares = numberAt(level, 'nominalConcurrencyShares') ?? 0
  return shares < 0
    ? [invalidValue(`${at}.nominalConcurrencyShares`, shares, 'must be a non-negative integer')]
    : []
}

function limitedErrors(limited: JsonObject, at: string): FieldError[] {
  return [
    ...concurrencyErrors(limited, at),
    ...responseErrors(objectAt(limited, 'limitResponse'), `${at}.limitResponse`),
  ]
}

function responseErrors(response: JsonObject, at: string): FieldError[] {
  const type = stringAt(response, 'type')
  const { queuing } = response
  const where = `${at}.queuing`
  if (type === 'Reject') {
    const text = 'must be nil if limited.limitResponse.type is not Limited'
    return isObject(queuing) ? [forbiddenField(where, text)] : []
  }
  if (type === 'Queue') {
    const text = 'must not be empty if limited.limitResponse.type is Limited'
    return isObject(queuing) ? queuingErrors(queuing, where) : [required(where, text)]
  }
  return [notSupported(`${at}.type`, type, ['Queue', 'Reject'])]
}

function queuingErrors(queuing: JsonObject, at: string): FieldError[] {
  const [queues = 0, hand = 0, length = 0] = ['queues', 'handSize', 'queueLengthLimit'].map((member) =>
    numberAt(queuing, member),
  )
  const handProblem = handSizeProblem(hand, queues)
  return [
    ...(length <= 0 ? [invalidValue(`${at}.queueLengthLimit`, length, 'must be positive')] : []),
    ...(queues <= 0 ? [invalidValue(`${at}.queues`, queues, 'must be positive')] : []),
    ...(handProblem === undefined ? [] : [invalidValue(`${at}.handSize`, hand, handProblem)]),
  ]
}

function handSizeProblem(hand: number, queues: number): string | undefined {
  if (hand <= 0) return 'must be positive'
  if (hand > queues) return `should not be greater than queues (${queues})`
  return Math.ceil(Math.log2(queues) * hand) > HASH_BITS
    ? `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${HASH_BITS}`
    : undefined
}

/** Reports changes of the mandatory levels. Only the share of the exempt level may change. */
function fixedErrors(spec: JsonObject, name: string): FieldError[] {
  const fixed = fixedSpec('prioritylevelconfigurations', name)
  if (fixed === undefined) return []
  const [isRight, text] =
    name === EXEMPT
      ? [
          sameJson({ ...spec, exempt: {} }, { ...fixed, exempt: {} }),
          `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`,
        ]
      : [sameJson(spec, fixed), `spec of '${name}' must equal the fixed value`]
  const shown = goForm(spec, 'flowcontrol.PriorityLevelConfigurationSpec')
  return isRight ? [] : [invalidValue('spec', shown, text)]
}

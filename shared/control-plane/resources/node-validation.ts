import { labelKey, labelValue } from '../../kubernetes/index.ts'
import {
  duplicate,
  type FieldError,
  internalField,
  invalidValue,
  notSupported,
  required,
} from '../apimachinery/errors/field.ts'
import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt, stringsAt } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { familyOfBlock, legacyCidrErrors } from '../apimachinery/validation/cidr.ts'

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** Validates a node's taints and the blocks of its pods (upstream: ValidateNode). */
export function nodeErrors(node: KubeObject): FieldError[] {
  return [...taintErrors(node), ...podCidrErrors(stringsAt(objectAt(node, 'spec'), 'podCIDRs'))]
}

/** Validates taints. Upstream's errors place them in the metadata. */
function taintErrors(node: KubeObject): FieldError[] {
  const seen = new Set<string>()
  return objectsAt(objectAt(node, 'spec'), 'taints').flatMap((taint, index) => {
    const at = `metadata.taints[${index}]`
    const key = stringAt(taint, 'key')
    const value = stringAt(taint, 'value')
    const effect = stringAt(taint, 'effect')
    const pair = `${key}:${effect}`
    const repeated = seen.has(pair)
    seen.add(pair)
    return [
      ...labelKey(key).map((text) => invalidValue(`${at}.key`, key, text)),
      ...labelValue(value).map((text) => invalidValue(`${at}.value`, value, text)),
      ...effectErrors(`${at}.effect`, effect),
      ...(repeated ? [repeatedTaint(at, taint)] : []),
    ]
  })
}

function repeatedTaint(field: string, taint: JsonObject): FieldError {
  // Upstream shows the internal form, whose fields have their Go names.
  const { timeAdded = null } = taint
  const shown = {
    Key: stringAt(taint, 'key'),
    Value: stringAt(taint, 'value'),
    Effect: stringAt(taint, 'effect'),
    TimeAdded: timeAdded,
  }
  const { message, ...error } = duplicate(field, shown)
  return { ...error, message: `${message}: taints must be unique by key and effect pair` }
}

function effectErrors(field: string, effect: string): FieldError[] {
  if (effect === '') return [required(field)]
  return EFFECTS.includes(effect) ? [] : [notSupported(field, effect, EFFECTS)]
}

/** Checks that there is at most one block of each family of addresses. */
function podCidrErrors(blocks: readonly string[]): FieldError[] {
  const at = 'spec.podCIDRs'
  const malformed = blocks.flatMap((block, index) => legacyCidrErrors(`${at}[${index}]`, block))
  if (blocks.length < 2) return malformed
  const families = blocks.map(familyOfBlock)
  const bad = families.indexOf(undefined)
  const isPair = blocks.length === 2 && bad < 0 && families[0] !== families[1]
  const why = `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${blocks[bad]})`
  return [
    ...malformed,
    ...(bad < 0 ? [] : [internalField(at, why)]),
    ...(isPair
      ? []
      : [invalidValue(at, [...blocks], 'may specify no more than one CIDR for each IP family')]),
  ]
}

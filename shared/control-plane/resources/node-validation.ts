import { labelKey, labelValue } from '../../kubernetes/index.ts'
import { duplicate } from '../apimachinery/errors/field.ts'
import { sameJson } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { familyOfBlock, legacyCidr } from '../apimachinery/validation/cidr.ts'
import type { Field } from '../apimachinery/validation/field.ts'

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** Validates a node's taints and the blocks of its pods (upstream: ValidateNode). */
export function validateNode(node: Field): void {
  // Upstream's errors place the taints in the metadata.
  validateTaints(node.child('spec', 'taints').as('metadata.taints'))
  validatePodCidrs(node.child('spec', 'podCIDRs'))
}

export function validateNodeUpdate(node: Field, old: KubeObject): void {
  validateNode(node)
  const [blocks, before] = [node.child('spec', 'podCIDRs'), node.with(old).child('spec', 'podCIDRs').value]
  if (before !== undefined && !sameJson(before, blocks.value))
    blocks.forbidden('node updates may not change podCIDR except from "" to valid')
}

function validateTaints(taints: Field): void {
  const seen = new Set<string>()
  for (const taint of taints.items()) {
    const [key, value, effect] = [taint.child('key'), taint.child('value'), taint.child('effect')]
    key.follows(labelKey)
    value.follows(labelValue)
    effect.notEmpty()?.oneOf(EFFECTS)
    const pair = `${key.text}:${effect.text}`
    if (seen.has(pair)) {
      // Upstream shows the internal form, whose fields have their Go names.
      const { timeAdded = null } = taint.object
      const shown = { Key: key.text, Value: value.text, Effect: effect.text, TimeAdded: timeAdded }
      const { message, ...error } = duplicate(taint.path, shown)
      taint.errors.push({ ...error, message: `${message}: taints must be unique by key and effect pair` })
    }
    seen.add(pair)
  }
}

/** Checks that there is at most one block of each family of addresses. */
function validatePodCidrs(blocks: Field): void {
  for (const block of blocks.items()) block.follows(legacyCidr)
  const families = blocks.strings.map(familyOfBlock)
  if (families.length < 2) return
  const bad = families.indexOf(undefined)
  if (bad >= 0)
    blocks.internal(
      `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${blocks.strings[bad]})`,
    )
  const isPair = families.length === 2 && bad < 0 && families[0] !== families[1]
  if (!isPair) blocks.invalid('may specify no more than one CIDR for each IP family')
}

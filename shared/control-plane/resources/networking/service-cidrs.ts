import { objectAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { familyOfBlock, strictCidr } from '../../apimachinery/validation/cidr.ts'
import { errorsBy, type Field } from '../../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { builtInKind } from '../built-in-kind.ts'
import { ensureDefaultServiceCidr } from './default-service-cidr.ts'

const ONE_OF_EACH = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'

/** Blocks that cluster IPs come from (KEP-1880); the one named `kubernetes` is made of these ranges. */
export function serviceCidrs(serviceRanges: readonly string[]): ResourceDefinition {
  return {
    ...builtInKind('networking.k8s.io', 'ServiceCIDR'),
    namespaced: false,
    hasStatus: true,
    statusKeepsMetadata: true,
    table: tableOf('servicecidrs', (object) => ({ CIDRs: blocksOf(object).join(',') })),
    strategy: {
      prepareForCreate: (object) => {
        object.status = {}
      },
      validateCreate: errorsBy(validateBlocks),
      validateUpdate: errorsBy(validateUpdate),
    },
    lifecycle: {
      start: (registry) => {
        ensureDefaultServiceCidr(registry, serviceRanges)
        return undefined
      },
    },
  }
}

function blocksOf(object: KubeObject): string[] {
  return stringsAt(objectAt(object, 'spec'), 'cidrs')
}

function validateBlocks(range: Field): void {
  const blocks = range.child('spec', 'cidrs')
  if (!blocks.notEmpty('at least one CIDR required')) return
  if (blocks.list.length > 2) {
    // Upstream shows the struct around the blocks, by the names of Go.
    blocks.invalid('may only hold up to 2 values', { CIDRs: [...blocks.list] })
    return
  }
  for (const block of blocks.items()) block.follows(strictCidr)
  const [first, second] = blocks.strings.map(familyOfBlock)
  if (first !== undefined && first === second) blocks.invalid(ONE_OF_EACH)
}

/** Blocks stay; a second one may join the first, which makes a cluster dual-stack. */
function validateUpdate(range: Field, old: KubeObject): void {
  const blocks = range.child('spec', 'cidrs')
  const former = blocksOf(old)
  const joins = former.length === 1 && blocks.list.length === 2
  if (blocks.list.length !== former.length && !joins) {
    blocks.invalid('field is immutable')
    return
  }
  for (const [index, block] of former.entries()) blocks.item(index).unchanged(block)
  if (joins) validateBlocks(range)
}

import { type FieldError, invalidValue, required } from '../../apimachinery/errors/field.ts'
import { objectAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { cidrErrors, familyOfBlock } from '../../apimachinery/validation/cidr.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { ageOf } from '../../apiserver/table/format.ts'
import { builtInKind } from '../built-in-kind.ts'
import { ensureDefaultServiceCidr } from './default-service-cidr.ts'

const AT = 'spec.cidrs'
const IMMUTABLE = 'field is immutable'
const ONE_OF_EACH = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'

/** Blocks that cluster IPs come from (KEP-1880); the one named `kubernetes` is made of these ranges. */
export function serviceCidrs(serviceRanges: readonly string[]): ResourceDefinition {
  return {
    ...builtInKind('networking.k8s.io', 'ServiceCIDR'),
    namespaced: false,
    hasStatus: true,
    statusKeepsMetadata: true,
    table: tableOf('servicecidrs', (object, now) => [
      object.metadata.name ?? '',
      blocksOf(object).join(','),
      ageOf(object, now),
    ]),
    strategy: {
      prepareForCreate: (object) => {
        object.status = {}
      },
      validateCreate: blockErrors,
      validateUpdate: updateErrors,
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

function blockErrors(object: KubeObject): FieldError[] {
  const blocks = blocksOf(object)
  if (blocks.length === 0) return [required(AT, 'at least one CIDR required')]
  // Upstream shows the struct around the blocks.
  if (blocks.length > 2) return [invalidValue(AT, objectAt(object, 'spec'), 'may only hold up to 2 values')]
  const [first, second] = blocks.map(familyOfBlock)
  return [
    ...blocks.flatMap((block, index) => cidrErrors(`${AT}[${index}]`, block)),
    ...(first !== undefined && first === second ? [invalidValue(AT, blocks, ONE_OF_EACH)] : []),
  ]
}

/** Blocks stay; a second one may join the first, which makes a cluster dual-stack. */
function updateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const blocks = blocksOf(object)
  const former = blocksOf(old)
  const joins = former.length === 1 && blocks.length === 2
  if (blocks.length !== former.length && !joins) return [invalidValue(AT, blocks, IMMUTABLE)]
  return [
    ...former.flatMap((block, index) =>
      blocks[index] === block ? [] : [invalidValue(`${AT}[${index}]`, blocks[index], IMMUTABLE)],
    ),
    ...(joins ? blockErrors(object) : []),
  ]
}

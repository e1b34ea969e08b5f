import { objectAt, objectsAt, stringsAt } from '../../apimachinery/json/index.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { ObjectReader } from '../../apiserver/registry/index.ts'
import { IpRange } from './ip-range.ts'

/**
 * Returns the blocks of all ServiceCIDRs that are ready and not being deleted, without those that are known.
 */
export function readyRanges(objects: ObjectReader, known: readonly IpRange[]): IpRange[] {
  return objects
    .list('servicecidrs.networking.k8s.io')
    .filter(isReady)
    .flatMap((object) => stringsAt(objectAt(object, 'spec'), 'cidrs'))
    .filter((cidr) => !known.some((range) => range.cidr === cidr))
    .map((cidr) => new IpRange(cidr))
}

function isReady({ metadata, status }: KubeObject): boolean {
  if (metadata.deletionTimestamp !== undefined) return false
  const conditions = objectsAt(objectAt({ status }, 'status'), 'conditions')
  // One that nobody has looked at yet counts as ready.
  return !conditions.some(({ type, status: value }) => type === 'Ready' && value !== 'True')
}

import type { JsonObject, JsonValue } from '../../../../apimachinery/json/exact-numbers.ts'
import { identityOf, isObject } from '../../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../../apimachinery/objects.ts'

const BEFORE =
  '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: '
const AFTER =
  '.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: '

/**
 * Returns the object with each of its owners once, and warns the client of repeated ones. `patched` chooses
 * upstream's other words, for the result of a patch.
 */
export function withOwnersOnce(object: KubeObject, warnings: string[], patched = false): KubeObject {
  const { ownerReferences } = object.metadata
  if (!Array.isArray(ownerReferences)) return object
  const seen = new Set<string>()
  const once: JsonValue[] = []
  const twice: JsonObject[] = []
  for (const owner of ownerReferences) {
    const identity = identityOf(owner)
    if (isObject(owner) && seen.has(identity)) twice.push(owner)
    else once.push(owner)
    seen.add(identity)
  }
  if (twice.length === 0) return object
  warnings.push(`${patched ? AFTER : BEFORE}${twice.map(({ uid }) => String(uid ?? '')).join(', ')}`)
  return { ...object, metadata: { ...object.metadata, ownerReferences: once } }
}

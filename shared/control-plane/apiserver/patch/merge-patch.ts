import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, ownMember, setMember } from '../../apimachinery/json/values.ts'

/**
 * Applies a merge patch (RFC 7386): members of the patch replace those of the target, null removes, objects
 * are merged. As in kube-apiserver, objects in lists lose their nulls as well, unless the list replaces an
 * object.
 */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (Array.isArray(patch)) return isObject(target) ? patch : patch.map((item) => mergePatch(undefined, item))
  if (!isObject(patch)) return patch
  const out: JsonObject = isObject(target) ? { ...target } : {}
  for (const [member, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete out[member]
    else setMember(out, member, mergePatch(ownMember(out, member), value))
  }
  return out
}

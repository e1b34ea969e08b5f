import { isObject, type JsonObject, type JsonValue, ownMember, setMember } from '../json.ts'

/** RFC 7386: members of the patch replace those of the target, null removes, objects are merged. */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch
  const out: JsonObject = isObject(target) ? { ...target } : {}
  for (const [member, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete out[member]
    else setMember(out, member, mergePatch(ownMember(out, member), value))
  }
  return out
}

import { isObject, type JsonObject } from '../../../apimachinery/json/index.ts'
import { type FieldSet, isEmptySet } from './field-set.ts'
import { compareElements, readElement } from './path-element.ts'

/**
 * Writes a set as the JSON of `FieldsV1`. `.` says that a field is in the set itself, if there are fields
 * below it too.
 */
export function toFieldsV1(set: FieldSet): JsonObject {
  const out: JsonObject = {}
  const elements = [...set.children]
    .filter(([, child]) => !isEmptySet(child))
    .sort(([a], [b]) => compareElements(a, b))
  if (set.member && elements.length > 0) out['.'] = {}
  for (const [element, child] of elements) out[element] = toFieldsV1(child)
  return out
}

/**
 * Reads `FieldsV1`; undefined where it has an element that is none. The object as a whole is never in the
 * set.
 */
export function fromFieldsV1(value: JsonObject): FieldSet | undefined {
  const set = readNode(value)
  return set && { member: false, children: set.children }
}

function readNode(value: JsonObject): FieldSet | undefined {
  const children = new Map<string, FieldSet>()
  for (const [text, child] of Object.entries(value)) {
    if (text === '.') continue
    const element = readElement(text)
    const node = isObject(child) ? readNode(child) : undefined
    if (element === undefined || !node) return undefined
    children.set(element, node)
  }
  return { member: '.' in value || children.size === 0, children }
}

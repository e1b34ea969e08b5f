import { similarTo } from '../expressions/index.ts'
import { describe, entryOf, type Located, type LocatedMap, type Problems } from '../source/index.ts'

/** Returns the text at a key. If there is none, it returns undefined; any other value is also a problem. */
export function textField(map: LocatedMap, key: string, problems: Problems): string | undefined {
  const node = entryOf(map, key)
  if (node === undefined) return undefined
  if (node.kind === 'scalar' && typeof node.value === 'string') return node.value
  problems.add(node.place, `${key}: expected a text, found ${describe(node)}`)
  return undefined
}

/** Returns the text at a key, which must be one of a few. */
export function choiceField<T extends string>(
  map: LocatedMap,
  key: string,
  choices: readonly T[],
  problems: Problems,
): T | undefined {
  const text = textField(map, key, problems)
  if (text === undefined || text === '') return undefined
  const choice = choices.find((known) => known === text)
  if (choice === undefined) {
    const place = entryOf(map, key)?.place ?? map.place
    problems.add(place, `${key}: expected one of ${choices.join(', ')}, found ${JSON.stringify(text)}`)
  }
  return choice
}

/** Returns the map at a key. If there is none, it returns undefined; any other value is also a problem. */
export const mapField = (map: LocatedMap, key: string, problems: Problems): LocatedMap | undefined => {
  const node = entryOf(map, key)
  return node === undefined ? undefined : asMap(node, key, problems)
}

export function asMap(node: Located, what: string, problems: Problems): LocatedMap | undefined {
  if (node.kind === 'map') return node
  problems.add(node.place, `${what}: expected a map, found ${describe(node)}`)
  return undefined
}

/** Returns the list's elements at a key; undefined without a list. The caller refuses empty lists. */
export function listField(map: LocatedMap, key: string, problems: Problems): readonly Located[] | undefined {
  const node = entryOf(map, key)
  if (node === undefined) return undefined
  if (node.kind === 'list') return node.items
  problems.add(node.place, `${key}: expected a list, found ${describe(node)}`)
  return undefined
}

/** Reports keys that are nearly a field's: it would be missing without a word. Others are not checked. */
export function checkKeys({ entries }: LocatedMap, fields: readonly string[], problems: Problems): void {
  for (const { key, place } of entries) {
    const similar = fields.includes(key) ? undefined : similarTo(key, fields)
    if (similar !== undefined) problems.add(place, `there is no field ${key}; did you mean ${similar}?`)
  }
}

import { describe, entryOf, type Located, type LocatedMap, type Problems } from '../source/index.ts'

/** The text at a key; undefined if there is none, or no text (which is a problem). */
export function textField(map: LocatedMap, key: string, problems: Problems): string | undefined {
  const node = entryOf(map, key)
  if (node === undefined) return undefined
  if (node.kind === 'scalar' && typeof node.value === 'string') return node.value
  problems.add(node.place, `${key}: expected a text, found ${describe(node)}`)
  return undefined
}

/** A text out of a few. */
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

/** The map at a key; undefined if there is none, or no map (which is a problem). */
export const mapField = (map: LocatedMap, key: string, problems: Problems): LocatedMap | undefined => {
  const node = entryOf(map, key)
  return node === undefined ? undefined : asMap(node, key, problems)
}

export function asMap(node: Located, what: string, problems: Problems): LocatedMap | undefined {
  if (node.kind === 'map') return node
  problems.add(node.place, `${what}: expected a map, found ${describe(node)}`)
  return undefined
}

/**
 * The elements of the list at a key. Undefined if there is no list; empty lists are the caller's to judge.
 */
export function listField(map: LocatedMap, key: string, problems: Problems): readonly Located[] | undefined {
  const node = entryOf(map, key)
  if (node === undefined) return undefined
  if (node.kind === 'list') return node.items
  problems.add(node.place, `${key}: expected a list, found ${describe(node)}`)
  return undefined
}

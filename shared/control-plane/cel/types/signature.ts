import { DYN, listOf, mapOf, NULL, opaqueOf, optionalOf, PRIMITIVES, type Type, typeOf } from './type.ts'

const NAMED: ReadonlyMap<string, Type> = new Map([...PRIMITIVES, ['dyn', DYN], ['null', NULL]])

/** Parameters and result of a function. A receiver is the first of the parameters. */
export interface Signature {
  readonly isMember: boolean
  readonly params: readonly Type[]
  readonly result: Type
}

/**
 * Reads signatures such as `(int, int) -> int` and, with a receiver, `list<A>.(A) -> bool`. Single capitals
 * are type parameters; names with a dot are opaque types.
 */
export function readSignature(text: string): Signature {
  const [call = '', result = ''] = text.split(' -> ')
  const open = call.indexOf('(')
  const receiver = call.slice(0, open).replace(/\.$/, '')
  const listed = splitTypes(call.slice(open + 1, -1)).map(readType)
  return {
    isMember: receiver !== '',
    params: receiver === '' ? listed : [readType(receiver), ...listed],
    result: readType(result),
  }
}

/** Reads a type such as `map<string, list<int>>`. */
function readType(text: string): Type {
  const name = text.trim()
  const known = NAMED.get(name)
  if (known) return known
  if (/^[A-Z]$/.test(name)) return { kind: 'param', name }
  const [, outer = name, inner = ''] = /^([a-z]+)<(.*)>$/.exec(name) ?? []
  const [first = DYN, second = DYN] = splitTypes(inner).map(readType)
  switch (outer) {
    case 'list':
      return listOf(first)
    case 'map':
      return mapOf(first, second)
    case 'optional':
      return optionalOf(first)
    case 'type':
      return typeOf(first)
    default:
      return opaqueOf(name)
  }
}

function splitTypes(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '<') depth++
    else if (text[index] === '>') depth--
    else if (text[index] === ',' && depth === 0) {
      parts.push(text.slice(start, index))
      start = index + 1
    }
  }
  return text.trim() === '' ? [] : [...parts, text.slice(start)]
}

import { type FieldError, required } from '../../../apimachinery/errors/index.ts'
import { isObject, type JsonObject, objectAt } from '../../../apimachinery/json/index.ts'
import { alternativesOf } from './walk.ts'

/** The same field in the schema itself and in an alternative of it. */
interface Pair {
  /** Undefined where only the alternative has it. */
  readonly declared: JsonObject | undefined
  readonly at: string
  readonly nested: JsonObject
  readonly nestedAt: string
}

/** Checks that fields which `anyOf` and the like restrict are declared outside of them, too. */
export function completenessErrors(schema: JsonObject, at: string): FieldError[] {
  return alternatives({ declared: schema, at, nested: schema, nestedAt: at })
}

function alternatives({ nested, nestedAt, ...rest }: Pair): FieldError[] {
  return alternativesOf(nested, nestedAt).flatMap((child) =>
    undeclared({ ...rest, nested: child.schema, nestedAt: child.at }),
  )
}

function undeclared(pair: Pair): FieldError[] {
  const { declared, at, nested, nestedAt } = pair
  if (!declared) return [required(at, `because it is defined in ${nestedAt}`)]
  const known = objectAt(declared, 'properties')
  const members = Object.entries(objectAt(nested, 'properties')).flatMap(([name, property]) => {
    const own = Object.hasOwn(known, name) ? known[name] : undefined
    return child(pair, `properties[${name}]`, property, own)
  })
  return [
    ...alternatives(pair),
    ...(isObject(nested.items) ? child(pair, 'items', nested.items, declared.items) : []),
    ...members,
  ]
}

function child(
  { at, nestedAt }: Pair,
  step: string,
  nested: JsonObject[string],
  declared: JsonObject[string],
): FieldError[] {
  if (!isObject(nested)) return []
  const pair = { nested, nestedAt: `${nestedAt}.${step}`, at: `${at}.${step}` }
  return undeclared({ ...pair, declared: isObject(declared) ? declared : undefined })
}

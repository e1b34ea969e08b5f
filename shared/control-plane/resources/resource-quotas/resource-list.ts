import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, setMember } from '../../apimachinery/json/values.ts'
import { Quantity } from '../../apimachinery/quantity/quantity.ts'
import { QuantityError } from '../../apimachinery/quantity/read.ts'

/** Amounts by what they are of, as `requests.cpu` or `count/secrets`. */
export type ResourceList = ReadonlyMap<string, Quantity>

/** Returns a member's amounts, such as of `spec.hard`, but for what is no quantity, which is never stored. */
export function resourceListAt(parent: JsonObject | undefined, member: string): ResourceList {
  const value = parent?.[member]
  return new Map(
    Object.entries(isObject(value) ? value : {}).flatMap(([name, text]) => {
      const amount = quantityOf(String(text))
      return amount ? [[name, amount] as const] : []
    }),
  )
}

function quantityOf(text: string): Quantity | undefined {
  try {
    return Quantity.parse(text)
  } catch (error) {
    if (error instanceof QuantityError) return undefined
    throw error
  }
}

export function toJson(list: ResourceList): JsonObject {
  const object: JsonObject = {}
  for (const [name, amount] of list) setMember(object, name, amount.toString())
  return object
}

export function sum(a: ResourceList, b: ResourceList): ResourceList {
  const result = new Map(a)
  for (const [name, amount] of b) result.set(name, result.get(name)?.plus(amount) ?? amount)
  return result
}

/** Returns the larger amount of each resource. */
export function largest(a: ResourceList, b: ResourceList): ResourceList {
  const result = new Map(a)
  for (const [name, amount] of b) {
    const other = result.get(name)
    if (other === undefined || other.compare(amount) < 0) result.set(name, amount)
  }
  return result
}

/** Returns the resources of which `a` has more than `b`, and how much more. */
export function growth(a: ResourceList, b: ResourceList): ResourceList {
  return new Map(
    [...a].flatMap(([name, amount]) => {
      const more = amount.minus(b.get(name) ?? Quantity.zero)
      return more.isZero || more.isNegative ? [] : [[name, more] as const]
    }),
  )
}

export function masked(list: ResourceList, names: Iterable<string>): ResourceList {
  const wanted = new Set(names)
  return new Map([...list].filter(([name]) => wanted.has(name)))
}

export function sameAmounts(a: ResourceList, b: ResourceList): boolean {
  return a.size === b.size && [...a].every(([name, amount]) => b.get(name)?.compare(amount) === 0)
}

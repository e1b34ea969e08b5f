// Checks of our own: a schema library takes 15 ms and 2 MB, of a server that is to be ready in 500 ms and to
// take 80 MB with objects in it.

/** Checks the value of an option; throws a TypeError that names the option and what it must be. */
export type Check = (value: unknown, path: string) => void

/** One check for every option of a type: an option that is new there is missed by the compiler. */
export type ChecksOf<T> = Readonly<Record<keyof T, Check>>

const LARGEST_SHOWN = 40

const passes =
  (what: string, has: (value: unknown) => boolean): Check =>
  (value, path) => {
    if (!has(value)) throw new TypeError(`${path} must be ${what}, not ${shown(value)}`)
  }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const boolean: Check = passes('true or false', (value) => typeof value === 'boolean')
export const func: Check = passes('a function', (value) => typeof value === 'function')
export const object: Check = passes('an object', isRecord)
export const text: Check = passes('a text', (value) => typeof value === 'string' && value.trim() !== '')
/** May be empty. */
export const anyText: Check = passes('a text', (value) => typeof value === 'string')
export const count: Check = passes(
  'a whole number, 0 or more',
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
)

/** @param longest Default: any finite number. */
export const positive = (longest = Number.MAX_VALUE): Check =>
  passes(
    longest === Number.MAX_VALUE ? 'a number above 0' : `a number above 0 and up to ${longest}`,
    (value) => typeof value === 'number' && value > 0 && value <= longest,
  )

export const oneOf = (values: readonly string[]): Check =>
  passes(values.length === 1 ? `'${values[0]}'` : `one of ${values.join(', ')}`, (value) =>
    (values as readonly unknown[]).includes(value),
  )

/** Checks that a text has a form. */
export const formed = (what: string, form: RegExp): Check =>
  passes(what, (value) => typeof value === 'string' && form.test(value))

export const either = (what: string, ...checks: readonly Check[]): Check =>
  passes(what, (value) => checks.some((check) => holds(check, value)))

export function list(check: Check, least = 0): Check {
  return (value, path) => {
    if (!Array.isArray(value) || value.length < least)
      throw new TypeError(
        `${path} must be a list${least > 0 ? ' that is not empty' : ''}, not ${shown(value)}`,
      )
    for (const [index, item] of value.entries()) check(item, `${path}[${index}]`)
  }
}

/** Checks an object with these members and no others. They may be undefined unless they are `needed`. */
export function members(checks: Readonly<Record<string, Check>>, needed: readonly string[] = []): Check {
  const known = new Map(Object.entries(checks))
  return (value, path) => {
    object(value, path === '' ? 'the options' : path)
    const given: Readonly<Record<string, unknown>> = Object(value)
    const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
    for (const name of Object.keys(given))
      if (!known.has(name))
        throw new TypeError(`there is no option ${at(name)}; those here are ${[...known.keys()].join(', ')}`)
    for (const [name, check] of known)
      if (given[name] !== undefined || needed.includes(name)) check(given[name], at(name))
  }
}

/** Checks an object with these methods, whatever else it has. */
export const methods = (...names: readonly string[]): Check =>
  passes(
    `an object with the methods ${names.join(', ')}`,
    (value) => isRecord(value) && names.every((name) => typeof value[name] === 'function'),
  )

function holds(check: Check, value: unknown): boolean {
  try {
    check(value, '')
    return true
  } catch {
    return false
  }
}

/** Shows a value in an error. Long texts are left out, as they may be keys. */
function shown(value: unknown): string {
  if (typeof value === 'string')
    return value.length <= LARGEST_SHOWN ? JSON.stringify(value) : `a text of ${value.length} characters`
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'function') return 'a function'
  return isRecord(value) ? 'an object' : String(value)
}

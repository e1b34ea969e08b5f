/**
 * Base of everything that this library throws on purpose.
 * @example
 * ```ts
 * const state = { service: {}, pods: [], nodes: [], slices: [] }
 * plan(state, { maxEndpointsPerSlice: 0 }) // throws /invalid option maxEndpointsPerSlice/
 * new InvalidOptionError('managedBy', 'a label value', '!') instanceof EndpointSliceError // => true
 * ```
 */
export class EndpointSliceError extends Error {
  override readonly name: string = 'EndpointSliceError'
}

/**
 * An option of plan() or apply(), or a list of the state, that is out of range or not of its form.
 * @example
 * ```ts
 * new InvalidOptionError('concurrency', 'an integer from 1', 0).option // => 'concurrency'
 * ```
 */
export class InvalidOptionError extends EndpointSliceError {
  override readonly name = 'InvalidOptionError'
  /** The option's name, such as `maxEndpointsPerSlice`. */
  readonly option: string

  constructor(option: string, expected: string, got: unknown) {
    super(`invalid option ${option}: expected ${expected}, got ${shown(got)}`)
    this.option = option
  }
}

/** Shows a value by itself where it is short, and by its type otherwise. */
const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? typeName(value) : JSON.stringify(value)

/** Names the type of a value: its class, where it has one of its own. */
export function typeName(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : 'a Date'
  const made: unknown = Object.getPrototypeOf(value)?.constructor
  return typeof made === 'function' && made !== Object ? made.name : 'an object'
}

import * as v from 'valibot'
import { didYouMean } from '../schema/index.ts'

/** A setting, as the command's help, the functions' environment and the deployment read it. */
export interface SettingMeta {
  /** Placeholder of the value in help, such as `SECONDS`. */
  readonly placeholder: string
  readonly description: string
  readonly default: SettingValue
  /** Heading under which the command's help has it; absent: it is of deployments alone. */
  readonly heading?: string | undefined
}

type SettingValue = string | number | boolean

/** Checks a setting and fills in its default. */
type SettingSchema<Value extends SettingValue> = v.OptionalSchema<v.GenericSchema<unknown, Value>, Value>

const META = new WeakMap<v.GenericSchema, SettingMeta>()

/**
 * Returns what defines a setting: from its schema, the value where none is given, its placeholder and its
 * description.
 * @param heading under which the command's help has it; default: it is of deployments alone
 */
export const settingsAbout =
  (heading?: string) =>
  <const Value extends SettingValue>(
    schema: v.GenericSchema<unknown, Value>,
    preset: NoInfer<Value>,
    placeholder: string,
    description: string,
  ): SettingSchema<Value> => {
    const defined: SettingSchema<Value> = v.optional(schema, preset)
    META.set(defined, { placeholder, description, default: preset, heading })
    return defined
  }

/** Defines a setting of deployments. */
export const setting = settingsAbout()

/** Returns what a setting says of itself. @param schema what {@link settingsAbout} has made */
export const metaOf = (schema: v.GenericSchema): SettingMeta => META.get(schema) as SettingMeta

/** Accepts a number, also as text; the bounds are allowed. @param unit such as `seconds`; default: none */
export const number = (minimum: number, maximum: number, unit?: string): v.GenericSchema<unknown, number> =>
  numeric({ minimum, maximum, unit, isWhole: false })

/** Accepts a whole number, as {@link number}. */
export const integer = (minimum: number, maximum: number, unit?: string): v.GenericSchema<unknown, number> =>
  numeric({ minimum, maximum, unit, isWhole: true })

export const choice = <const Words extends readonly string[]>(
  words: Words,
): v.PicklistSchema<Words, v.ErrorMessage<v.PicklistIssue>> =>
  v.picklist(
    words,
    ({ input }) => `${shown(input)} is not one of ${words.join(', ')}${didYouMean(String(input), words)}`,
  )

/** Accepts one of these words, or a number as {@link number}. */
export const wordOr = <const Words extends readonly string[]>(
  words: Words,
  minimum: number,
  maximum: number,
  unit?: string,
): v.GenericSchema<unknown, Words[number] | number> =>
  v.union([choice(words), number(minimum, maximum, unit)], ({ input }) => {
    const bounds = { minimum, maximum, unit, isWhole: false }
    return `${shown(input)} is neither ${words.join(' nor ')} nor ${rangeText(bounds)}${nearestText(input, bounds)}`
  })

const TRUTHS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, 'true', '1', 'yes', 'on', 'y', 'enabled'].map((word) => [word, true] as const),
  ...[false, 'false', '0', 'no', 'off', 'n', 'disabled'].map((word) => [word, false] as const),
])

/** Accepts yes or no, also as text. */
export const truth = (): v.GenericSchema<unknown, boolean> =>
  v.pipe(
    v.unknown(),
    v.rawTransform(({ dataset: { value: input }, addIssue, NEVER }) => {
      const meant = TRUTHS.get(typeof input === 'string' ? input.toLowerCase() : input)
      if (meant === undefined) addIssue({ message: `${shown(input)} is neither true nor false` })
      return meant ?? NEVER
    }),
  )

/** Accepts text. @param problemOf what is wrong with it, in words; `undefined` when it can be used */
export const text = (problemOf: (text: string) => string | undefined): v.GenericSchema<unknown, string> =>
  v.pipe(
    v.string(({ input }) => `${shown(input)} is not text`),
    v.rawCheck(({ dataset, addIssue }) => {
      const message = dataset.typed ? problemOf(dataset.value) : undefined
      if (message !== undefined) addIssue({ message })
    }),
  )

interface Bounds {
  readonly minimum: number
  readonly maximum: number
  readonly unit: string | undefined
  readonly isWhole: boolean
}

/** Bounds of numbers for JSON Schema, which cannot be read off a transform. */
export const NUMBERS = new WeakMap<
  v.GenericSchema,
  { readonly type: 'integer' | 'number'; readonly minimum: number; readonly maximum: number }
>()

function numeric(bounds: Bounds): v.GenericSchema<unknown, number> {
  const schema = v.pipe(
    v.unknown(),
    v.rawTransform(({ dataset: { value: input }, addIssue, NEVER }) => {
      const value = numberOf(input)
      if (value === nearestNumber(value, bounds)) return value
      addIssue({ message: `${shown(input)} is not ${rangeText(bounds)}${nearestText(input, bounds)}` })
      return NEVER
    }),
  )
  const { isWhole, minimum, maximum } = bounds
  NUMBERS.set(schema, { type: isWhole ? 'integer' : 'number', minimum, maximum })
  return schema
}

/** Converts input to a number. Empty text is no number, though JavaScript takes it for 0. */
function numberOf(input: unknown): number {
  if (typeof input === 'number') return input
  return typeof input === 'string' && input.trim() !== '' ? Number(input) : Number.NaN
}

const nearestNumber = (value: number, { minimum, maximum, isWhole }: Bounds): number =>
  Math.min(Math.max(isWhole ? Math.round(value) : value, minimum), maximum)

/** Names the nearest allowed number, or returns nothing if the input is no number at all. */
function nearestText(input: unknown, bounds: Bounds): string {
  const meant = withoutUnit(input, bounds)
  if (meant !== undefined && meant === nearestNumber(meant, bounds)) return `; give ${meant}`
  const nearest = nearestNumber(meant ?? numberOf(input), bounds)
  return Number.isNaN(nearest) ? '' : `; the nearest is ${nearest}`
}

const SECONDS_OF: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, min: 60, h: 3600, d: 86_400 }

/** Converts `50%` of a share to 0.5, and `500ms` to the number of the setting's unit. */
function withoutUnit(input: unknown, { unit, maximum }: Bounds): number | undefined {
  const [, digits = '', given = ''] = /^\s*(\d+(?:\.\d+)?)\s*(%|[a-z]+)\s*$/i.exec(String(input)) ?? []
  if (given === '%' && unit === undefined) return maximum === 1 ? divided(digits, 100) : undefined
  const seconds = SECONDS_OF[given.toLowerCase()]
  if (seconds === undefined) return undefined
  if (unit === 'milliseconds') return divided(digits, 0.001 / seconds)
  return unit === 'seconds' ? divided(digits, 1 / seconds) : undefined
}

/** Without the last digits of a division of binary fractions. */
const divided = (digits: string, by: number): number => Number((Number(digits) / by).toPrecision(12))

/** Describes the range: `a whole number of seconds from 0 to 300`. */
const rangeText = ({ minimum, maximum, unit, isWhole }: Bounds): string =>
  `a ${isWhole ? 'whole ' : ''}number ${unit === undefined ? '' : `of ${unit} `}from ${minimum} to ${maximum}`

/** So many characters of a value stand in a message. */
const MAX_SHOWN_LENGTH = 60

/** Shows a value as it was given, in a message of one line. */
export function shown(value: unknown): string {
  const given = JSON.stringify(value) ?? String(value)
  return given.length <= MAX_SHOWN_LENGTH ? given : `${given.slice(0, MAX_SHOWN_LENGTH - 1)}…`
}

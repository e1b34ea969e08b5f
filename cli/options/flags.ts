import { type Command, InvalidArgumentError, Option } from 'commander'

/** The flags of a command, as commander has parsed and checked them; the settings among them are text. */
export type Flags = Readonly<Record<string, unknown>>

/** A flag, and the type of its value: undefined is one of its values unless it has a default. */
export interface Flag<Value> {
  readonly option: () => Option
  /** Only a type: no flag has it. */
  readonly value?: Value
}

/** Flags of one subject, each by the name that commander gives its value. */
export type FlagGroup = Readonly<Record<string, Flag<unknown>>>

type ValueOf<Group, Name extends keyof Group> = Group[Name] extends Flag<infer Value> ? Value : never
type OptionalNames<Group> = {
  [Name in keyof Group]: undefined extends ValueOf<Group, Name> ? Name : never
}[keyof Group]

export type FlagValues<Group> = {
  readonly [Name in Exclude<keyof Group, OptionalNames<Group>>]: ValueOf<Group, Name>
} & { readonly [Name in OptionalNames<Group>]?: ValueOf<Group, Name> }

interface FlagDetails {
  /** The default in the help. */
  readonly defaultText?: string
  /** Names of the values of flags that make no sense beside it. */
  readonly conflicts?: string | string[]
  /** Value of a flag that is given without one. */
  readonly preset?: unknown
  /** Values of other flags that it brings. */
  readonly implies?: Readonly<Record<string, unknown>>
  readonly isRequired?: boolean
}

interface ParsedFlag<Value> extends FlagDetails {
  /** @throws InvalidArgumentError @throws UsageError */
  readonly parse?: (text: string) => Value
  readonly default?: Value
}

/** The value that commander itself gives a flag: several texts, one, or true. */
type PlainValue<Text extends string> = Text extends `${string}...>`
  ? readonly string[]
  : Text extends `${string}<${string}`
    ? string
    : true

/** Declares a flag. Without `<value>` it is true where it is given. */
export function flag<Text extends string>(
  flags: Text,
  description: string,
  details: FlagDetails & { readonly isRequired: true; readonly parse?: never; readonly default?: never },
): Flag<PlainValue<Text>>
export function flag<Text extends string>(
  flags: Text,
  description: string,
  details?: FlagDetails & { readonly parse?: never; readonly default?: never },
): Flag<PlainValue<Text> | undefined>
export function flag<Value>(
  flags: string,
  description: string,
  details: ParsedFlag<Value> & ({ readonly default: Value } | { readonly isRequired: true }),
): Flag<Value>
export function flag<Value>(
  flags: string,
  description: string,
  details: ParsedFlag<Value>,
): Flag<Value | undefined>
export function flag(
  flags: string,
  description: string,
  { parse, default: usual, ...details }: ParsedFlag<unknown> = {},
): Flag<unknown> {
  return {
    option() {
      const option = detailed(new Option(flags, description), details, usual)
      return parse === undefined ? option : option.argParser((text) => parse(text))
    },
  }
}

export function choice<const Value extends string, Default extends Value | undefined = undefined>(
  flags: string,
  description: string,
  choices: readonly Value[],
  { default: usual, ...details }: FlagDetails & { readonly default?: Default } = {},
): Flag<Value | Extract<Default, undefined>> {
  return { option: () => detailed(new Option(flags, description), details, usual).choices(choices) }
}

export const repeated = (
  flags: string,
  description: string,
  { parse = (text) => text, defaultText = '' }: Omit<ParsedFlag<string>, 'default'> = {},
): Flag<readonly string[]> => ({
  option: () =>
    new Option(flags, description)
      .default([], defaultText)
      .argParser((text: string, before: readonly string[]) => [...before, parse(text)]),
})

function detailed(
  option: Option,
  { defaultText, conflicts = [], preset, implies, isRequired = false }: FlagDetails,
  usual: unknown,
): Option {
  if (preset !== undefined) option.preset(preset)
  if (implies !== undefined) option.implies(implies)
  return option.default(usual, defaultText).conflicts(conflicts).makeOptionMandatory(isRequired)
}

/** Adds flags to a command, but for those that it has. @param heading above them in the help */
export function addFlags(command: Command, group: FlagGroup, heading?: string): Command {
  if (heading !== undefined) command.optionsGroup(heading)
  for (const [name, { option }] of Object.entries(group)) {
    const made = option()
    if (made.attributeName() !== name) throw new Error(`the value of ${made.flags} is not called ${name}`)
    const isThere = command.options.some((other) => other.long === made.long)
    if (!isThere) command.addOption(made)
  }
  return command
}

/** Takes the flags apart into groups by subject: a command hands groups on, never all flags. */
export function groupFlags<Groups extends Readonly<Record<string, FlagGroup>>>(
  flags: Flags,
  groups: Groups,
): { readonly [Name in keyof Groups]: FlagValues<Groups[Name]> } {
  const entries = Object.entries(groups).map(([name, group]) => [name, valuesOf(flags, group)] as const)
  return Object.fromEntries(entries) as { [Name in keyof Groups]: FlagValues<Groups[Name]> }
}

export const valuesOf = <Group extends FlagGroup>(flags: Flags, group: Group): FlagValues<Group> =>
  Object.fromEntries(
    Object.entries(flags).filter(([name]) => Object.hasOwn(group, name)),
  ) as FlagValues<Group>

/** Parses a number. @returns what parses the text of a flag */
export const number =
  (least: number, most = Number.MAX_VALUE) =>
  (text: string): number => {
    const value = Number(text)
    if (text.trim() === '' || !(value >= least && value <= most))
      throw new InvalidArgumentError(`It must be a number, ${rangeText(least, most)}.`)
    return value
  }

/** Parses a whole number. @returns what parses the text of a flag */
export const whole =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It must be a whole number, ${rangeText(least, most)}.`)
    return value
  }

const rangeText = (least: number, most: number): string =>
  most >= Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`

/** @returns what takes a text of a form. @param message of the error for others, a sentence */
export const formed =
  (isRight: (text: string) => boolean, message: string) =>
  (text: string): string => {
    if (isRight(text)) return text
    throw new InvalidArgumentError(message)
  }

/** @returns what parses several values, separated by commas */
export const listOf =
  <Value>(parse: (text: string) => Value) =>
  (text: string): Value[] =>
    text.split(',').map(parse)

export const port = whole(0, 65_535)

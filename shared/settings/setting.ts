import * as z from 'zod/mini'

/** What a setting says of itself; the command's help, the functions' environment and the deployment read it here. */
export interface SettingMeta {
  /** How the value is shown in help, such as `SECONDS`. */
  readonly placeholder: string
  readonly description: string
  readonly default: SettingValue
}

type SettingValue = string | number | boolean

const META = z.registry<SettingMeta>()

/**
 * Defines a setting.
 * @param preset the value where none is given
 */
export function setting<Schema extends z.ZodMiniType<SettingValue>>(
  schema: Schema,
  preset: z.core.util.NoUndefined<z.output<Schema>>,
  placeholder: string,
  description: string,
): z.ZodMiniDefault<Schema> {
  const defined = z._default(schema, preset)
  META.add(defined as z.ZodMiniType, { placeholder, description, default: preset })
  return defined
}

/** Tells what a setting says of itself. @param schema what {@link setting} has made */
export const metaOf = (schema: z.ZodMiniType): SettingMeta => META.get(schema) as SettingMeta

/** A number as flags and environments give it, too. Empty text is none, though JavaScript takes it for 0. */
const NUMBER = z.transform((value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value,
)

/** A number, also as text; the bounds are allowed. */
export const number = (minimum: number, maximum: number): z.ZodMiniType<number> =>
  z.pipe(NUMBER, z.number().check(z.minimum(minimum), z.maximum(maximum)))

/** A whole number, as {@link number}. */
export const integer = (minimum: number, maximum: number): z.ZodMiniType<number> =>
  z.pipe(NUMBER, z.number().check(z.int(), z.minimum(minimum), z.maximum(maximum)))

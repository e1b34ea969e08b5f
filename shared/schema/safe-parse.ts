import * as z from 'zod/mini'
import en from 'zod/v4/locales/en.js'

/**
 * English messages. By itself zod/mini calls everything "Invalid input". They are given with each parse
 * rather than by `z.config()`: bundlers leave out a module that is imported for its effects only, and users
 * of the package have a configuration of their own.
 */
const ENGLISH = { error: en().localeError }

/**
 * Checks a value as zod's own `safeParse` does. Problems without a message of the schema are described in
 * English.
 */
export const safeParse = <Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): z.core.util.SafeParseResult<z.output<Schema>> => z.safeParse(schema, value, ENGLISH)

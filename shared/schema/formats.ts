import * as v from 'valibot'

/** A time as RFC 3339 has it, of a day that there is. */
export const DATE_TIME =
  /^(?:(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8])))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

export const dateTime = (message?: string): v.GenericSchema<string> =>
  v.pipe(v.string(message), v.regex(DATE_TIME, message ?? 'Invalid ISO datetime'))

export const finite = (): v.GenericSchema<number> => v.pipe(v.number(), v.finite())

/** Checks a whole number; the bounds are allowed. */
export const whole = (minimum: number, maximum = Number.MAX_SAFE_INTEGER): v.GenericSchema<number> =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(minimum), v.maxValue(maximum))

/** Checks the URL of a server. @param protocols that it may have */
export const url = (protocols: RegExp, message?: string): v.GenericSchema<string> =>
  v.pipe(
    v.string(message),
    v.check((text) => protocols.test(text) && URL.canParse(text), message ?? 'Invalid URL'),
  )

import type { SQSRecord } from 'aws-lambda'

/** The message attribute that carries the context of a trace, by the name that W3C gives the header. */
export const TRACEPARENT = 'traceparent'

/** Maximum number of trace contexts of merged messages: more links add nothing to a span. */
const MAX_CONTEXTS = 10

/** W3C Trace Context, version 00: ids of trace and span, neither of them 0, and flags, in hexadecimal. */
const FORM = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * Reads the context of a message's trace; absent if it has none. Anybody who can write to the queue can write
 * anything there: a text of another form counts as absent, and is neither stored nor logged.
 */
export function traceparentOf({ messageAttributes }: SQSRecord): string | undefined {
  const text = messageAttributes?.[TRACEPARENT]?.stringValue
  return text !== undefined && FORM.test(text) ? text : undefined
}

/** Merges the contexts of two messages, the earlier one's first; `undefined` if neither has one. */
export function mergeTraceparents(
  earlier: readonly string[] = [],
  later: readonly string[] = [],
): readonly string[] | undefined {
  const all = [...new Set([...earlier, ...later])]
  return all.length === 0 ? undefined : all.slice(0, MAX_CONTEXTS)
}

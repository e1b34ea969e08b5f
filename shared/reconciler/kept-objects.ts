import type { ApiObject } from '../kubernetes/index.ts'

/** The relay may not have seen yet what was written so lately, in milliseconds; it lags less as a rule. */
export const UNSEEN_MS = 5_000

const BYTES_AN_ENDPOINT = 600
const BYTES_AN_OBJECT = 2_000

/** What of an object others make as large as they like. */
type Sized = ApiObject & {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> | undefined } | undefined
  readonly endpoints?: readonly unknown[] | undefined
}

/** Estimates the memory that an object takes; others may write annotations of any size. */
export function bytesOf({ metadata, endpoints = [] }: Sized): number {
  const annotations = Object.values(metadata?.annotations ?? {}).reduce((sum, { length }) => sum + length, 0)
  return BYTES_AN_OBJECT + BYTES_AN_ENDPOINT * endpoints.length + annotations
}

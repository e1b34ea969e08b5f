import type { ApiObject } from '../../kubernetes/index.ts'

/** The relay's watch may not have delivered a write of this age, in milliseconds; it usually lags less. */
export const UNSEEN_WRITE_MS = 5_000

const BYTES_AN_ENDPOINT = 600
const BYTES_AN_OBJECT = 2_000

/** Holds the members of an object that others make as large as they like; a server may send null for any. */
type Sized = ApiObject & {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>> | null | undefined }
  readonly endpoints?: readonly unknown[] | null | undefined
}

/** Estimates the memory in bytes that an object takes, by its endpoints and the text of its annotations. */
export function bytesOf({ metadata, endpoints }: Sized): number {
  const annotations = Object.values(metadata?.annotations ?? {}).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  )
  return BYTES_AN_OBJECT + BYTES_AN_ENDPOINT * (endpoints?.length ?? 0) + annotations
}

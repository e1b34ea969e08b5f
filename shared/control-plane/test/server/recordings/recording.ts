import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Json } from '../../../../../test/support/raw-client.ts'

/**
 * A request, in the order in which it was made. Values of the form `{{7:metadata.uid}}` are of the answer to
 * request 7.
 */
export interface RecordedRequest {
  readonly id: number
  /** Absent: it only makes what others need. */
  readonly name?: string
  readonly method?: string
  readonly path: string
  /** Null: not even the header that is sent by default. */
  readonly headers?: Readonly<Record<string, string | null>>
  readonly body?: Json
  /** `anon`: without credentials. */
  readonly as?: string
  /** A bearer token. */
  readonly token?: string
  /** True for a watch, which is open until its end is recorded. */
  readonly stream?: boolean
  /** Answer of kube-apiserver 1.36.4, with placeholders for values that are different each time. */
  readonly want?: { readonly status: number; readonly body: Json }
}

/** A watch is closed. */
interface RecordedEnd {
  readonly end: number
}

export type RecordedStep = RecordedRequest | RecordedEnd

/** Reads the steps of a section, as `list`: one a line in a compressed file. */
export function readRecording(section: string): RecordedStep[] {
  const bytes = readFileSync(new URL(`./${section}.ndjson.gz`, import.meta.url))
  const lines = gunzipSync(bytes).toString('utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}

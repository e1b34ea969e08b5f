/** A file or an object of a recording. */
export interface RecordingSource {
  /** Name for people, such as `record.ndjson` or `s3://bucket/key`. */
  readonly name: string
  /** Yields its bytes, decompressed. The iteration throws if they cannot be read. */
  read(): AsyncIterable<Buffer | string>
}

/** A file or an object of a recording. */
export interface RecordingSource {
  /** As people would name it, such as `record.ndjson` or `s3://bucket/key`. */
  readonly name: string
  /** Its bytes, decompressed. The iteration throws where they cannot be read. */
  read(): AsyncIterable<Buffer | string>
}

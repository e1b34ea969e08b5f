/** A timestamp as JSON has it (RFC 3339), or as client-node does. */
export type Timestamp = string | Date

interface Deletable {
  readonly deletionTimestamp?: Timestamp | null | undefined
}

/** Reports whether somebody has deleted the object with this metadata, which is there until its end. */
export const isBeingDeleted = (metadata: Deletable | undefined): boolean =>
  isTimestamp(metadata?.deletionTimestamp)

const isTimestamp = (value: unknown): value is Timestamp => typeof value === 'string' || value instanceof Date

/** A timestamp as JSON has it (RFC 3339), or as client-node does. */
export type Timestamp = string | Date

interface Deletable {
  readonly deletionTimestamp?: Timestamp | null | undefined
}

/** Reports whether the object is being deleted: it stays until its finalizers and grace period end. */
export const isBeingDeleted = (metadata: Deletable | undefined): boolean =>
  isTimestamp(metadata?.deletionTimestamp)

const isTimestamp = (value: unknown): value is Timestamp => typeof value === 'string' || value instanceof Date

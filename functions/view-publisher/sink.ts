import type { ServiceKey } from '../../shared/changes/index.ts'
import type { ViewEvent, ViewObject } from '../../shared/views/index.ts'

/** Changes of one Service to deliver. */
export interface Delivery {
  readonly key: ServiceKey
  /** The name of the spec's operator. */
  readonly operator: string
  /** Version of the publication; a later one of the same key is greater. A repeated delivery has the same. */
  readonly version: number
  /** Changes since the last publication, deletions first; may be empty, and delivered more than once. */
  readonly deltas: readonly ViewEvent[]
  /** All views of the Service as of this version. */
  readonly views: readonly ViewObject[]
  readonly signal: AbortSignal
}

/** Somewhere that views go. */
export interface Sink {
  /** Its own among all sinks: what it was given is stored by it. Under another name it is a new sink. */
  readonly name: string
  /**
   * True for a sink that syncs an external system with `views`: it is called for every synced key, and again
   * if a newer version came meanwhile. False for one that sends `deltas`: it is called only if there are
   * some.
   */
  readonly holdsState: boolean
  /** Rejects unless everything was accepted; it is then called again with the whole delivery. */
  deliver(delivery: Delivery): Promise<void>
}

/** A sink rejected a delivery. */
export class SinkError extends Error {
  override readonly name = 'SinkError'
  /** Whether another attempt may succeed. */
  readonly retryable: boolean

  constructor(message: string, { retryable = true, cause }: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.retryable = retryable
  }
}

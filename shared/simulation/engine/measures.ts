import type { Write } from '../policies/index.ts'

/** Costs of writes for the API server and all its watchers. */
export interface WriteMeasures {
  /** Requests that change objects. */
  readonly writes: number
  /** Events over all nodes: one per write and node. */
  readonly watchEvents: number
  /** Bytes of the watch events, over all nodes. */
  readonly bytesSent: number
  /** Bytes written to etcd. */
  readonly bytesStored: number
}

/** Counts writes. */
interface WriteCounter {
  add(writes: readonly Write[]): void
  read(): WriteMeasures
}

/** @param watchers returns the number of clients that receive each event: a kube-proxy per Node */
export function createWriteCounter(watchers: () => number): WriteCounter {
  let writes = 0
  let sent = 0
  let stored = 0
  return {
    add(more) {
      for (const write of more) {
        writes++
        sent += write.sent
        // A deletion leaves only a tombstone in etcd.
        if (write.operation !== 'delete') stored += write.stored
      }
    },
    read: () => ({
      writes,
      watchEvents: writes * watchers(),
      bytesSent: sent * watchers(),
      bytesStored: stored,
    }),
  }
}

/** Results of a run, beside its writes. */
export interface RunMeasures extends WriteMeasures {
  /** Simulated time, in seconds. */
  readonly seconds: number
  /** Events of Pods. */
  readonly events: number
  /** Changes of a Service's endpoints. */
  readonly changes: number
  readonly messages: number
  /** Calls of the function. */
  readonly batches: number
  /** Requests to the queue: messages sent, received and deleted, ten at most in each. */
  readonly queueRequests: number
  /** Reads of the API server by syncs: one for each Pod that a message names; three lists for a full sync. */
  readonly apiReads: number
  /** Use of the function: duration × memory. */
  readonly gbSeconds: number
  /** Milliseconds from a change until it is published. */
  readonly stalenessMs: { readonly p50: number; readonly p99: number }
  /** Ratio of objects to the minimum number for the endpoints: the mean over time, and the maximum. */
  readonly objectsToLeast: { readonly mean: number; readonly most: number }
}

/** Number of objects and the minimum number for the endpoints, over time. */
interface ObjectsOverTime {
  /** Adds to both numbers from a time on. Both changes may be negative. */
  add(atMs: number, objects: number, least: number): void
  read(endMs: number): RunMeasures['objectsToLeast']
}

export function createObjectsOverTime(): ObjectsOverTime {
  let sinceMs = 0
  let objects = 0
  let least = 0
  let ratio = 1
  let most = 1
  let area = 0
  return {
    add(atMs, moreObjects, moreLeast) {
      area += ratio * (atMs - sinceMs)
      sinceMs = atMs
      objects += moreObjects
      least += moreLeast
      ratio = least === 0 ? 1 : objects / least
      most = Math.max(most, ratio)
    },
    read: (endMs) => ({ mean: endMs === 0 ? ratio : (area + ratio * (endMs - sinceMs)) / endMs, most }),
  }
}

import * as v from 'valibot'
import { LANES } from '../../../shared/queue/index.ts'
import { dateTime, finite, object, record, url } from '../../../shared/schema/index.ts'
import { CONTENT_SCHEMAS } from '../../../shared/settings/index.ts'

/*
 * Document of `/status`, in JSON for `sliceflow status` and for people. Times are RFC 3339. Fields are only
 * ever added to a version; absent ones have not happened, or are of a later version.
 */

const time = dateTime()
const count = finite()
/** Requests with credentials go there. */
export const urlSchema = url(/^https?:\/\//i)

/** Seconds, of `samples` changes, 1,000 at most. */
const lag = object({ samples: count, p50: count, p99: count, maximum: count })
export type LagStatus = v.InferOutput<typeof lag>

/** Keys that failed since the start; each went back to the queue. */
const failureFields = {
  failures: v.optional(count, 0),
  failureClasses: v.optional(record(v.string(), count)),
  lastFailure: v.optional(
    object({ at: time, class: v.optional(v.string(), 'Unexpected'), message: v.string() }),
  ),
}
const failures = object(failureFields)
export type FailureStatus = v.InferOutput<typeof failures>

/** Services by `namespace/name`: how many there are, and some of them. */
const services = object({ total: count, services: v.pipe(v.array(v.string()), v.readonly()) })
export type ServiceList = v.InferOutput<typeof services>

/**
 * Services that wait for a person, by the name of the guard; or `unwritten`, with an import of a cluster set
 * that is not written, as others have its name or its plan is held.
 */
const guardFields = { problems: v.optional(record(v.string(), services)) }
const guards = object(guardFields)
export type GuardStatus = v.InferOutput<typeof guards>

/** Controller that writes slices that we manage, and the Service of its last write. */
const secondController = object({
  manager: v.string(),
  service: v.string(),
  at: time,
  isMirror: v.boolean(),
})
export type SecondControllerStatus = v.InferOutput<typeof secondController>

const sent = object({ at: time, keys: count })

const cluster = object({
  name: v.string(),
  /** Name under which the cluster is followed, where that is another one. */
  sameAs: v.optional(v.string()),
  /** True while a watch has failed for 30 s, even if every kind was listed before. */
  unreachable: v.optional(v.boolean()),
  /** Time at which every kind was listed. */
  syncedAt: v.optional(time),
  /** Time at which a watch last brought a change that means a key. */
  lastChangeAt: v.optional(time),
  /** Time at which a key was last brought up to date, or compared in shadow mode. */
  lastSyncAt: v.optional(time),
  /** When the relay last compared every key with its cache, and how many wrong ones it sent. */
  lastSweep: v.optional(sent),
  /** When the audit last sent the keys whose turn it was, and how many. */
  lastAudit: v.optional(sent),
  ...failureFields,
  ...guardFields,
  /** Number of changes that are not synced yet. */
  waiting: v.optional(count, 0),
  /** Slices written since the start. */
  writes: v.optional(count, 0),
  /** Services by the result of their latest comparison in shadow mode. */
  shadow: v.optional(object({ same: count, different: count, invalid: count })),
  /** Controllers that have lately written slices that we manage. */
  secondControllers: v.optional(v.pipe(v.array(secondController), v.readonly())),
  /** From a change as the relay saw it to the slices written. */
  lag: v.optional(lag),
})
export type ClusterStatus = v.InferOutput<typeof cluster>

/** Content of a cluster set, by the last sync of each of its Services. */
const clusterSet = object({
  name: v.string(),
  services: count,
  exports: count,
  imports: count,
  conflicts: count,
  blocked: count,
  leftOut: count,
  ...failureFields,
  ...guardFields,
  /** From a change in one cluster (Kubernetes reports whole seconds) to the slices of all. */
  lag: v.optional(lag),
})
export type ClusterSetStatus = v.InferOutput<typeof clusterSet>

/** Queues in which the keys of a lane wait; both lanes may have one. */
const lane = object({ lane: v.picklist(LANES), queue: urlSchema, deadLetters: v.optional(urlSchema) })
export type LaneStatus = v.InferOutput<typeof lane>
export const lanesSchema = v.pipe(v.array(lane), v.readonly())

export const statusSchema = object({
  version: v.literal(1),
  startedAt: time,
  clusters: v.pipe(v.array(cluster), v.readonly()),
  /** Cluster sets of which a Service was reconciled, or failed. */
  clusterSets: v.optional(v.pipe(v.array(clusterSet), v.readonly())),
  /** Settings that decide what is published; none of them is a secret. */
  settings: v.optional(object(CONTENT_SCHEMAS)),
  /** Absent until the queues are open. */
  lanes: v.optional(lanesSchema),
})
export type StatusDocument = v.InferOutput<typeof statusSchema>

import * as z from 'zod/mini'
import { LANES } from '../../../shared/queue/index.ts'
import { CONTENT_SCHEMAS } from '../../../shared/settings/index.ts'

/*
 * Document of `/status`, in JSON for `sliceflow status` and for people. Times are RFC 3339. Fields are only
 * ever added to a version; absent ones have not happened, or are of a later version.
 */

const time = z.iso.datetime()
const count = z.number()
/** Requests with credentials go there. */
export const urlSchema = z.url({ protocol: /^https?$/ })

/** Seconds, of `samples` changes, 1,000 at most. */
const lag = z.object({ samples: count, p50: count, p99: count, maximum: count })
export type LagStatus = z.output<typeof lag>

/** Keys that failed since the start; each went back to the queue. */
const failureFields = {
  failures: z._default(count, 0),
  failureClasses: z.optional(z.record(z.string(), count)),
  lastFailure: z.optional(
    z.object({ at: time, class: z._default(z.string(), 'Unexpected'), message: z.string() }),
  ),
}
const failures = z.object(failureFields)
export type FailureStatus = z.output<typeof failures>

/** Services by `namespace/name`: how many there are, and some of them. */
const services = z.object({ total: count, services: z.readonly(z.array(z.string())) })
export type ServiceList = z.output<typeof services>

/**
 * Services that wait for a person, by the name of the guard; or `unwritten`, with an import of a cluster set
 * that is not written, as others have its name or its plan is held.
 */
const guardFields = { problems: z.optional(z.record(z.string(), services)) }
const guards = z.object(guardFields)
export type GuardStatus = z.output<typeof guards>

/** Controller that writes slices that we manage, and the Service of its last write. */
const secondController = z.object({
  manager: z.string(),
  service: z.string(),
  at: time,
  isMirror: z.boolean(),
})
export type SecondControllerStatus = z.output<typeof secondController>

const sent = z.object({ at: time, keys: count })

const cluster = z.object({
  name: z.string(),
  /** Name under which the cluster is followed, where that is another one. */
  sameAs: z.optional(z.string()),
  /** Time at which every kind was listed. */
  syncedAt: z.optional(time),
  /** Time at which a watch last brought a change that means a key. */
  lastChangeAt: z.optional(time),
  /** Time at which a key was last brought up to date, or compared in shadow mode. */
  lastSyncAt: z.optional(time),
  /** When the relay last compared every key with its cache, and how many wrong ones it sent. */
  lastSweep: z.optional(sent),
  /** When the audit last sent the keys whose turn it was, and how many. */
  lastAudit: z.optional(sent),
  ...failureFields,
  ...guardFields,
  /** Number of changes that are not synced yet. */
  waiting: z._default(count, 0),
  /** Slices written since the start. */
  writes: z._default(count, 0),
  /** Services by the result of their latest comparison in shadow mode. */
  shadow: z.optional(z.object({ same: count, different: count, invalid: count })),
  /** Controllers that have lately written slices that we manage. */
  secondControllers: z.optional(z.readonly(z.array(secondController))),
  /** From a change as the relay saw it to the slices written. */
  lag: z.optional(lag),
})
export type ClusterStatus = z.output<typeof cluster>

/** Content of a cluster set, by the last sync of each of its Services. */
const clusterSet = z.object({
  name: z.string(),
  services: count,
  exports: count,
  imports: count,
  conflicts: count,
  blocked: count,
  leftOut: count,
  ...failureFields,
  ...guardFields,
  /** From a change in one cluster (Kubernetes reports whole seconds) to the slices of all. */
  lag: z.optional(lag),
})
export type ClusterSetStatus = z.output<typeof clusterSet>

/** Queues in which the keys of a lane wait; both lanes may have one. */
const lane = z.object({ lane: z.enum(LANES), queue: urlSchema, deadLetters: z.optional(urlSchema) })
export type LaneStatus = z.output<typeof lane>
export const lanesSchema = z.readonly(z.array(lane))

export const statusSchema = z.object({
  version: z.literal(1),
  startedAt: time,
  clusters: z.readonly(z.array(cluster)),
  /** Cluster sets of which a Service was reconciled, or failed. */
  clusterSets: z.optional(z.readonly(z.array(clusterSet))),
  /** Settings that decide what is published; none of them is a secret. */
  settings: z.optional(z.object(CONTENT_SCHEMAS)),
  /** Absent until the queues are open. */
  lanes: z.optional(lanesSchema),
})
export type StatusDocument = z.output<typeof statusSchema>

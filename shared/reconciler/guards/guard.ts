import type { EndpointSlice, Service, SlicePlan } from '../../endpointslice/index.ts'
import type { WriteRecord } from '../../recording/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { ServiceEvent } from '../service-events.ts'
import type { Changes } from '../slice-changes.ts'
import type { Repairs } from './fights/fight-backoff.ts'
import type { Fight } from './fights/fights.ts'
import type { SecondController } from './second-controller.ts'

/**
 * A rule that can keep a plan from being written. An entry of {@link GUARDS} is all that others know of it:
 * the check of every plan, its Events, metrics, CloudWatch alarm, Prometheus alert, lines of both dashboards,
 * row of the runbooks, figure and tasks of the console, line of `sliceflow status` and warning of `sliceflow
 * explain` follow from it.
 */
export interface Guard<Reason extends string = string> {
  /** Its name in the status of `run`. */
  readonly name: string
  /** What each of its Events says, by its reason. People's rules and dashboards rely on the reasons. */
  readonly events: Readonly<Record<Reason, string>>
  /** Checks a plan; `undefined`: no finding. Default: it acts before the plan, or in {@link guardPlan}. */
  check?(input: GuardInput, settings: GuardSettings): Finding<Reason> | undefined
  /**
   * Reports whether it needs all endpoints of a Service, so that a hint does not suffice. Default: it checks
   * the part of a plan that follows from a hint, too.
   * @param endpoints the Service has at least that many; `undefined`: it is not known
   */
  needsAllEndpoints?(settings: GuardLimits, endpoints: number | undefined): boolean
  /** Default: it is not counted. */
  readonly metric?: GuardMetric
  /** Default: no alarm. */
  readonly alarm?: GuardAlarm
  /** Default: no person has to act. */
  readonly problem?: GuardProblem
}

export type GuardLimits = Pick<Settings, 'maximumRemoval' | 'maximumEndpoints'>

export type GuardSettings = GuardLimits & Pick<Settings, 'maximumRemovalCount' | 'heldPlanExpiry'>

/** A plan, and what it is made of. */
interface PlanToGuard {
  readonly service: Service
  /** The slices as they were read. */
  readonly slices: readonly EndpointSlice[]
  readonly planned: SlicePlan
  /** A hint gave the plan, so that slices and plan are a part of the Service's. */
  readonly isPart?: true
  /** Addresses, as `type/address`, that take connections and that a policy leaves out: they are no loss. */
  readonly leftOut?: ReadonlySet<string>
}

/** A plan, and what is known when it is checked. */
export interface GuardInput extends PlanToGuard {
  /** Number of times in a row that slices of the Service were deleted. */
  readonly losses: Repairs | undefined
  /** Time at which the process began, in milliseconds since the epoch; default: it is not known. */
  readonly startedAt?: number
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Command that releases a held plan; default `sliceflow release`. */
  readonly release?: string
}

/** What a guard has to say about a plan. */
export interface Finding<Reason extends string = string> {
  /** Number of times that it acted, for its metric; default 1. */
  readonly count?: number
  /** Equal messages are one Event: nothing that differs from sync to sync may stand in them. */
  readonly events: readonly ServiceEvent<Reason>[]
  /** Blocks the plan: only this is written, and the slices keep their seals. Later guards are not asked. */
  readonly instead?: Changes
  /** Fights over slices of `instead`, which are left alone. */
  readonly fights?: readonly Fight[]
  /** A line of the log; default: one with no fields for a plan that is blocked. */
  readonly log?: FindingLog
  /** State of a hold, for recordings, and since when it has been held. */
  readonly hold?: { readonly state: NonNullable<WriteRecord['hold']>; readonly since?: string }
  readonly secondController?: SecondController
}

interface FindingLog {
  readonly fields: object
  /** Default {@link HOLDING}. */
  readonly message?: string
  /** Logged once in {@link LOG_INTERVAL_MS} per text and cluster. Default: whenever an Event is new. */
  readonly oncePer?: string
}

/** Message of the log at each sync that a guard blocks. The runbook's queries search for it. */
export const HOLDING = 'holding a plan'

/** What the guards found in a plan, for those who count it. */
export interface GuardSummary {
  /** Number of times that each guard acted, by its name; absent: it did not. */
  readonly acted: Readonly<Record<string, number>>
  /** Nothing of the plan was written. */
  readonly isBlocked: boolean
  /** It was held before: the note of that is taken off by the next sync. */
  readonly isReleased?: true
  /** Absent where only we write the slices. */
  readonly secondController?: SecondController
}

/** Number of times that a guard acted, in syncs that succeeded, or (`ofFailure`) failed because of it. */
export interface GuardMetric {
  /** Its name for Prometheus. */
  readonly name: string
  /** A gauge is the sum over all Services by their last sync; a counter is the sum over all syncs. */
  readonly type: 'gauge' | 'counter'
  readonly help: string
  /** Whether the counter is apart by cluster; default false. */
  readonly byCluster?: true
  ofFailure?(error: unknown): boolean
}

/** An alarm that rings in the `bad`-th of `periods` of 5 minutes in which the guard acted. */
export interface GuardAlarm {
  readonly id: string
  /** Its page in infra/runbooks, without the ending. */
  readonly runbook: string
  /** Meaning of the alarm, in one sentence. */
  readonly meaning: string
  readonly periods: number
  readonly bad: number
  /** CloudWatch's metric of it: one of syncs, as functions do not remember Services. */
  readonly metric: string
  readonly help: string
  /** Label of its line in the dashboards, and of its figure in the console: plural. */
  readonly line: string
}

/** A Service that waits for a person. */
export interface GuardProblem {
  /** Its kind in the console. */
  readonly kind: string
  /** What is so, after the Service's name. */
  readonly text: string
  /** What `sliceflow status` says after the number of Services. */
  readonly status: string
  /** Command that answers it. */
  readonly command: 'release' | 'explain'
}

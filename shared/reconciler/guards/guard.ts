import type { Settings } from '../../settings/index.ts'
import { SliceFightError } from './fights/index.ts'
import type { SecondController } from './second-controller.ts'

/** The guards' decisions on a plan, for those who count them. */
export interface GuardSummary {
  /** Nothing of it was written. */
  readonly isHeld: boolean
  /** Nothing of it was written, as the Service would have too many endpoints. */
  readonly isOversized?: true
  /** Nothing was planned, as somebody has paused the Service. */
  readonly isPaused?: true
  /** It was held before: the note of that is taken off by the next sync. */
  readonly isReleased?: true
  /** Writes that wait for the next sync. */
  readonly postponed: number
  readonly refusedAddresses: number
  /** Absent where only we write the slices. */
  readonly secondController?: SecondController
}

/**
 * A rule that can keep a plan from being written, in part or as a whole. An entry of {@link GUARDS} is all
 * that others know of it: its Events, metrics, CloudWatch alarm, Prometheus alert, lines of both dashboards,
 * row of the runbooks and line of `sliceflow status` follow from it.
 */
export interface Guard {
  /** Its name in the status of `run`. */
  readonly name: string
  /** What each of its Events says, by its reason. People's rules and dashboards rely on the reasons. */
  readonly events: Readonly<Record<string, string>>
  /** Default: it is not counted. */
  readonly metric?: GuardMetric
  /** Default: nobody needs to be notified. */
  readonly alarm?: GuardAlarm
  /** What `sliceflow status` says after the number of Services, if a person has to act. */
  readonly problem?: string
  /**
   * Reports whether it needs all endpoints of a Service, so that a hint does not suffice.
   * @param endpoints the Service has at least that many; `undefined`: it is not known
   */
  needsAllEndpoints?(settings: GuardLimits, endpoints: number | undefined): boolean
}

export type GuardLimits = Pick<Settings, 'maximumRemoval' | 'maximumEndpoints'>

/** Number of times that a guard acted, in syncs that succeeded (`ofSync`) or failed because of it. */
export interface GuardMetric {
  /** Its name for Prometheus. */
  readonly name: string
  /** A gauge is the sum over all Services by their last sync; a counter is the sum over all syncs. */
  readonly type: 'gauge' | 'counter'
  readonly help: string
  /** Whether the counter is apart by cluster; default false. */
  readonly byCluster?: true
  ofSync?(summary: GuardSummary): number
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
  /** Label of its line in the dashboards. */
  readonly line: string
}

const LIST = [
  {
    name: 'held',
    events: {
      PlanHeld: 'a plan removes more than it may, and waits for `sliceflow release` or its expiry',
      PlanReleased: 'a plan that was held is applied',
    },
    metric: {
      name: 'sliceflow_held_plans',
      type: 'gauge',
      help: 'Services with a plan that is held because it removes too many ready endpoints',
      ofSync: ({ isHeld }) => Number(isHeld),
    },
    alarm: {
      id: 'HeldPlans',
      runbook: 'held-plans',
      meaning: 'a plan that would remove very many ready endpoints is held, and waits for a release.',
      periods: 1,
      bad: 1,
      metric: 'HeldPlans',
      help: 'Syncs of keys of which a plan was held.',
      line: 'held',
    },
    problem: 'with a held plan (sliceflow explain shows it, sliceflow release releases it)',
    needsAllEndpoints: ({ maximumRemoval }) => maximumRemoval < 1,
  },
  {
    name: 'oversized',
    events: {
      TooManyEndpoints: 'the Service would have more than `maximumEndpoints`; what is published stays',
    },
    metric: {
      name: 'sliceflow_oversized_services',
      type: 'gauge',
      help: 'Services that are not written because they would have more endpoints than maximumEndpoints',
      ofSync: ({ isOversized = false }) => Number(isOversized),
    },
    alarm: {
      id: 'OversizedServices',
      runbook: 'oversized-services',
      meaning: 'a Service would have more endpoints than maximumEndpoints; its slices stay as they are.',
      periods: 1,
      bad: 1,
      metric: 'OversizedServices',
      help: 'Syncs of keys of which nothing was written, as the Service would have more than `maximumEndpoints`.',
      line: 'too large',
    },
    problem: 'with too many endpoints to be written (sliceflow explain shows how many)',
    // The slices do not show it, as they may have stopped growing.
    needsAllEndpoints: ({ maximumEndpoints }, endpoints = Number.POSITIVE_INFINITY) =>
      maximumEndpoints > 0 && endpoints > maximumEndpoints,
  },
  {
    name: 'refused',
    events: {
      RefusedAddress:
        'addresses are left out: they are in `refusedAddresses`, or in no range of `allowedNetworks`',
    },
    metric: {
      name: 'sliceflow_refused_addresses',
      type: 'gauge',
      help: 'Addresses that are left out because they are in a refused range',
      ofSync: ({ refusedAddresses }) => refusedAddresses,
    },
  },
  {
    name: 'fights',
    events: { SliceFight: 'somebody undoes every repair of a slice; says who, as far as that is known' },
    metric: {
      name: 'sliceflow_slice_fights_total',
      type: 'counter',
      help: 'Times that slices were left alone because somebody undoes every repair',
      ofFailure: (error) => error instanceof SliceFightError,
    },
    alarm: {
      id: 'SliceFights',
      runbook: 'slice-fights',
      meaning: 'somebody undoes every repair of a slice of ours; it is left alone for now.',
      periods: 3,
      bad: 2,
      metric: 'SliceFights',
      help: 'Syncs that left slices alone since somebody undoes every repair.',
      line: 'fights',
    },
    problem: 'that somebody edits after every repair (sliceflow explain shows who)',
  },
  {
    name: 'secondController',
    events: {
      SecondController:
        'another controller writes slices with our managed-by value, too; says who, and how to turn it off',
    },
    metric: {
      name: 'sliceflow_second_controller_syncs_total',
      type: 'counter',
      help: 'Looks at Services whose slices another controller writes, too',
      byCluster: true,
      ofSync: ({ secondController }) => (secondController === undefined ? 0 : 1),
    },
    alarm: {
      id: 'SecondController',
      runbook: 'second-controller',
      meaning: 'another controller writes slices that Sliceflow manages; the log names it.',
      periods: 1,
      bad: 1,
      metric: 'SecondControllerSyncs',
      help: 'Syncs of keys whose slices another controller writes, too.',
      line: 'second controllers',
    },
  },
  {
    name: 'unreachable',
    events: {
      ClusterUnreachable: 'the Pods in a cluster cannot be read; says what happens to their endpoints',
    },
  },
] as const satisfies readonly Guard[]

type Listed = (typeof LIST)[number]
type KeysOfEach<T> = T extends unknown ? keyof T : never

/** Reason of an Event of a guard. */
export type GuardEvent = KeysOfEach<Listed['events']>

/** Name of a guard that a person has to act on. */
export type GuardProblem = Extract<Listed, { readonly problem: string }>['name']

/** Every guard, in the order of all that is made of it. */
export const GUARDS: readonly Guard[] = LIST

/** Returns what the Events of the guards say, by their reasons. */
export const guardEvents = (guards = GUARDS): Record<GuardEvent, string> =>
  Object.assign({}, ...guards.map(({ events }) => events))

export const guardAlarms = (guards = GUARDS): GuardAlarm[] => guards.flatMap(({ alarm }) => alarm ?? [])

/** Returns the problems of the guards that a person has to act on, by their names. */
export const guardProblems = (guards = GUARDS): Record<GuardProblem, string> =>
  Object.assign({}, ...guards.map(({ name, problem }) => problem && { [name]: problem }))

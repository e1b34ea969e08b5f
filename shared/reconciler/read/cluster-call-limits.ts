import {
  type ApiClientOptions,
  createCallBudget,
  createCallLimiter,
  createCircuitBreaker,
} from '../../kubernetes/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { Log } from '../../telemetry/index.ts'

export interface ClusterCallLimitsOptions {
  readonly cluster: string
  readonly settings: Pick<Settings, 'apiCallsPerSecond' | 'functionTimeout'> &
    Partial<Pick<Settings, 'shadow'>>
  readonly logger: Log
}

/** The calls to one cluster, as they are now. */
export interface ClusterCallsReading {
  readonly cluster: string
  /** 0: calls go out; 1: one is on trial, to see if the cluster answers; 2: none does, as it has not. */
  readonly circuit: 0 | 1 | 2
  /** Calls that wait for the budget. */
  readonly waiting: number
  /** Calls that could go out at once. */
  readonly left: number
  /** Number of times that the cluster has asked to wait (429, or 503 with Retry-After). */
  readonly pauses: number
}

/** Limits shared by all clients of a cluster in a process: budget, and the function's circuit breaker. */
export interface ClusterCallLimits {
  /** Options of a client for the reconcile function: it fails rather than hold up other clusters' keys. */
  readonly forFunction: ApiClientOptions
  /**
   * Options of a client for a relay or a audit. These are in no hurry, so that it waits for the budget. A
   * server that is silent to the relay's watches opens the function's circuit.
   */
  readonly forRelay: ApiClientOptions
  read(): ClusterCallsReading
}

/**
 * A key that waits holds a place among the calls of the function that keys of other clusters may need. So it
 * waits as long as API servers ask for as a rule (1 s), and goes back to the queue for anything longer.
 */
const PATIENCE_MS = 2_000
/** API servers queue a request for up to 15 s before they refuse it (KEP-1040); no answer by then is none. */
const CALL_TIMEOUT_MS = 15_000
/** A cluster that hangs must be noticed before the function's time is over. */
const CALLS_A_FUNCTION_TIMEOUT = 4

const LEVELS = { closed: 0, 'half-open': 1, open: 2 } as const

/** Guards for the calls to one cluster; they last as long as the process, whatever clients come and go. */
export function limitClusterCalls({
  cluster,
  settings,
  logger,
}: ClusterCallLimitsOptions): ClusterCallLimits {
  const budget = createCallBudget({ callsPerSecond: settings.apiCallsPerSecond })
  const breaker = createCircuitBreaker({
    cluster,
    onChange: (state, err) => {
      if (state === 'closed') logger.info({ cluster }, 'the cluster answers again: its keys are worked on')
      else logger.warn({ cluster, err }, 'the cluster does not answer: its keys wait until it does again')
    },
  })
  const role = settings.shadow ? 'read-only' : 'function'
  return {
    forFunction: {
      role,
      limiter: createCallLimiter({ budget, breaker, maxWaitMs: PATIENCE_MS }),
      timeoutMs: Math.min(CALL_TIMEOUT_MS, (settings.functionTimeout * 1000) / CALLS_A_FUNCTION_TIMEOUT),
    },
    forRelay: { role, limiter: createCallLimiter({ budget }), onSilence: breaker.trip },
    read: () => ({
      cluster,
      circuit: LEVELS[breaker.state],
      waiting: budget.waiting,
      left: budget.left,
      pauses: budget.pauses,
    }),
  }
}

/** Makes the limits of a function's calls to a cluster. */
export const functionCallLimits =
  (settings: ClusterCallLimitsOptions['settings'], logger: ClusterCallLimitsOptions['logger']) =>
  (cluster: string): ApiClientOptions =>
    limitClusterCalls({ cluster, settings, logger }).forFunction

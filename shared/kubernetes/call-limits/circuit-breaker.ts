import { errorMessage } from '../../values/index.ts'
import { CircuitOpenError } from '../errors/errors.ts'

/** closed: calls go out; open: none does; half-open: one is on trial, to see if the cluster answers. */
type CircuitState = 'closed' | 'open' | 'half-open'

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>

interface CircuitBreakerOptions {
  readonly cluster: string
  /** Failures in a row that open the circuit; default 5. */
  readonly failures?: number
  /** Called on every change between closed and not closed. */
  readonly onChange?: (state: 'closed' | 'open', lastError: unknown) => void
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number
}

/** Milliseconds for which it stays open the first time; they double with every probe that fails. */
const FIRST_OPEN_MS = 1_000
/** Maximum milliseconds for which it stays open, and so until a recovered cluster is noticed. */
const MAX_OPEN_MS = 10_000

/** Stops calls to a cluster that does not answer, so that it costs others neither time nor places. */
export function createCircuitBreaker({
  cluster,
  failures: threshold = 5,
  onChange,
  now = performance.now.bind(performance),
}: CircuitBreakerOptions) {
  let state: CircuitState = 'closed'
  let failures = 0
  let openMs = 0
  let probeAt = 0
  let lastError: unknown

  function open(): void {
    openMs = Math.min(MAX_OPEN_MS, openMs === 0 ? FIRST_OPEN_MS : openMs * 2)
    probeAt = now() + openMs
    if (state === 'closed') onChange?.('open', lastError)
    state = 'open'
  }

  function close(): void {
    failures = 0
    openMs = 0
    if (state === 'closed') return
    state = 'closed'
    onChange?.('closed', lastError)
  }

  function refusal(action: string): CircuitOpenError {
    const seconds = (state === 'half-open' ? openMs : Math.max(0, probeAt - now())) / 1000
    const text = errorMessage(lastError)
    return new CircuitOpenError(
      `failed to ${action}: cluster ${cluster} did not answer${failures > 1 ? ` ${failures} times in a row` : ''}; it is tried again in ${Math.ceil(seconds)} s; last error: ${text}`,
      seconds,
      lastError,
    )
  }

  return {
    get state(): CircuitState {
      return state
    },
    /** Opens at once, as others have found out that the cluster does not answer. */
    trip(error: unknown): void {
      lastError = error
      if (state === 'closed') open()
    },
    /** Admits a call, which must report exactly once how it ended. @throws CircuitOpenError */
    admit(action: string) {
      const isProbe = state !== 'closed'
      if (isProbe && now() < probeAt) throw refusal(action)
      if (isProbe) {
        state = 'half-open'
        // A probe that never ends must not be the last one.
        probeAt = now() + MAX_OPEN_MS
      }
      return {
        /** Notes that the cluster answered, even with a refusal. */
        answered: close,
        /**
         * Notes that the cluster did not answer. Returns what to throw: the error, or a
         * {@link CircuitOpenError} caused by it when the circuit is open by now.
         */
        failed(error: unknown): unknown {
          failures++
          lastError = error
          // Calls that were under way when it opened do not keep it open for longer.
          if (isProbe ? state === 'half-open' : state === 'closed' && failures >= threshold) open()
          return state === 'closed' ? error : refusal(action)
        },
        /** Notes that the caller gave up before there was an answer. */
        abandoned(): void {
          if (!isProbe || state !== 'half-open') return
          state = 'open'
          probeAt = now()
        },
      }
    },
  }
}

import { ConnectionError, SilentServerError } from '../errors/errors.ts'

/**
 * Milliseconds without data on any watch of a server after which it is probed, and the timeout of the probe.
 * Both are those of Kubernetes' own clients, which ping their HTTP/2 connections (apimachinery
 * `util/net/http.go`). Ours are HTTP/1.1, one per watch, which has no ping.
 */
const QUIET_MS = 30_000
export const PING_TIMEOUT_MS = 15_000

interface HeartbeatOptions {
  readonly cluster: string
  /** Asks for anything, within {@link PING_TIMEOUT_MS}. */
  readonly ping: () => Promise<unknown>
  /** Called when the server is silent, before the watches end. */
  readonly onSilence?: ((error: Error) => void) | undefined
}

/**
 * Notices a server that accepts connections and answers nothing:
 * 1. While there are watches, every byte of one of them is a sign of life.
 * 2. After {@link QUIET_MS} without one the server is asked for one, by one request for all watches.
 * 3. Any answer is one, a refusal too, and so is a connection that is refused: that is no silence.
 * 4. Without an answer in {@link PING_TIMEOUT_MS} all watches end by an error.
 * A single watch whose connection is dead is not in its contract: bookmarks show that.
 */
export function createHeartbeat({ cluster, ping, onSilence }: HeartbeatOptions) {
  const watches = new Set<(error: Error) => void>()
  let timer: NodeJS.Timeout | undefined
  let isAsking = false

  function rest(): void {
    clearTimeout(timer)
    timer = watches.size === 0 ? undefined : setTimeout(ask, QUIET_MS)
  }

  async function ask(): Promise<void> {
    isAsking = true
    const problem = await ping().catch((error: unknown) => error)
    isAsking = false
    if (isTimeout(problem) && watches.size > 0) silent(problem)
    rest()
  }

  function silent(cause: ConnectionError): void {
    const ms = QUIET_MS + PING_TIMEOUT_MS
    const error = new SilentServerError(
      `cluster ${cluster} has been silent for ${ms / 1000} s, and did not answer a request either: ${cause.message}`,
      ms,
      cause,
    )
    const all = [...watches]
    watches.clear()
    onSilence?.(error)
    for (const end of all) end(error)
  }

  return {
    /** Begins to guard a watch. @param end ends it by an error */
    watch(end: (error: Error) => void) {
      watches.add(end)
      if (watches.size === 1 && !isAsking) rest()
      return {
        heard() {
          timer?.refresh()
        },
        ended() {
          watches.delete(end)
          if (watches.size === 0 && !isAsking) rest()
        },
      }
    },
  }
}

const isTimeout = (problem: unknown): problem is ConnectionError =>
  problem instanceof ConnectionError && problem.code === 'ETIMEDOUT'

import type { ComparedKey, ServiceKey } from '../../shared/changes/index.ts'
import type { NextTurn } from '../../shared/kubernetes/index.ts'

/** Maximum time, in milliseconds, that events wait for a sweep. */
const TURN_MS = 10

export interface SweeperOptions {
  /** Between the end of a sweep and the next one. */
  readonly intervalMs: number
  /** Compares every key of the cluster. */
  readonly compareWithDesired: () => Iterable<ComparedKey>
  /** Whether the key changed so lately that its slices may well be about to be written. */
  readonly isRecent: (key: ServiceKey) => boolean
  /** Shared with what else takes long. */
  readonly nextTurn: NextTurn
  /** Called after each sweep with the keys whose slices are not right, or may not be. */
  readonly onSwept: (keys: readonly ServiceKey[]) => void
}

/** Finds, at intervals, keys whose slices are not as they should be, and reads nothing for it. */
export interface Sweeper {
  start(): void
  stop(): void
}

export function createSweeper({
  intervalMs,
  compareWithDesired,
  isRecent,
  nextTurn,
  onSwept,
}: SweeperOptions): Sweeper {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  async function sweep(): Promise<void> {
    const found: ServiceKey[] = []
    await nextTurn()
    if (isStopped) return
    let turnEnds = performance.now() + TURN_MS
    for (const { state, ...key } of compareWithDesired()) {
      if (state !== 'right' && !isRecent(key)) found.push(key)
      if (performance.now() < turnEnds) continue
      await nextTurn()
      if (isStopped) return
      turnEnds = performance.now() + TURN_MS
    }
    onSwept(found)
    plan()
  }

  function plan(): void {
    if (!isStopped) timer = setTimeout(() => void sweep(), intervalMs)
  }

  return {
    start: plan,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

import type { LimitFunction } from 'p-limit'
import { DeadlineError, waitUntilAborted } from './deadline.ts'

/** One piece of a batch that succeeds or fails as a whole. */
export interface Task {
  /** Bounds how many tasks of its kind run at once; tasks with different limits never wait for each other. */
  readonly limit: LimitFunction
  readonly run: (signal: AbortSignal) => Promise<void>
}

export interface TaskLimits {
  /** Signal from whose abort no task is started; running ones get it. */
  readonly start: AbortSignal
  /** Signal from whose abort nothing is waited for. */
  readonly wait: AbortSignal
}

/**
 * Runs tasks until all have settled or the time is over. Returns what failed and why: a task that has neither
 * succeeded nor failed by then is a failure with a {@link DeadlineError}.
 */
export async function runTasks<T extends Task>(
  tasks: readonly T[],
  { start, wait }: TaskLimits,
): Promise<ReadonlyMap<T, unknown>> {
  const failures = new Map<T, unknown>()
  const unfinished = new Map<T, 'started' | 'finished'>(tasks.map((task) => [task, 'started']))
  const settled = tasks.map((task) =>
    task.limit(async () => {
      if (start.aborted) return
      unfinished.set(task, 'finished')
      try {
        await task.run(start)
      } catch (err) {
        failures.set(task, err)
      }
      unfinished.delete(task)
    }),
  )
  await waitUntilAborted(Promise.all(settled), wait)
  // A copy: tasks that settle later change nothing of what was reported.
  const reported = new Map(failures)
  for (const [task, missing] of unfinished)
    reported.set(task, new DeadlineError(`not ${missing} before the time of this invocation was over`))
  return reported
}

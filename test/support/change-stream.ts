import { setTimeout as sleep } from 'node:timers/promises'
import type { Change } from './workload-changes.ts'

/** Facts that the stream needs of a change: its object, and a word for errors. */
interface StreamedChange {
  readonly kind: string
  readonly object: string
}

export interface ChangeStreamOptions<T extends StreamedChange = Change> {
  /** Changes a second. */
  readonly rate: number
  readonly count: number
  readonly draw: () => T
  readonly run: (change: T) => Promise<void>
  readonly report: (line: string) => void
}

const REPORT_MS = 5_000

/**
 * Makes changes at a steady rate, whatever the answers take; those of one object one after another, all
 * others side by side.
 * @returns how many were made, when all are; rejects with the first that was refused
 */
export async function runChanges<T extends StreamedChange>({
  rate,
  count,
  draw,
  run,
  report,
}: ChangeStreamOptions<T>): Promise<number> {
  const queues = new Map<string, Promise<void>>()
  const { promise: refused, reject } = Promise.withResolvers<never>()
  let done = 0
  const begin = (change: T): void => {
    const { object, kind } = change
    const mine = (queues.get(object) ?? Promise.resolve())
      .then(() => run(change))
      .then(() => {
        done++
        if (queues.get(object) === mine) queues.delete(object)
      })
    mine.catch((cause: unknown) => reject(new Error(`change ${kind} of ${object} failed`, { cause })))
    queues.set(object, mine)
  }

  const started = performance.now()
  const progress = setInterval(() => {
    const seconds = (performance.now() - started) / 1000
    report(`${done} of ${count} changes made, ${(done / seconds).toFixed(1)} a second`)
  }, REPORT_MS)
  try {
    for (let index = 0; index < count; index++) {
      const late = performance.now() - started - (index * 1000) / rate
      if (late < 0) await Promise.race([sleep(-late), refused])
      begin(draw())
    }
    await Promise.race([Promise.all(queues.values()), refused])
  } finally {
    clearInterval(progress)
  }
  return done
}

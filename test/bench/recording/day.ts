import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRecorded } from '../../../cli/simulate/index.ts'
import { simulate } from '../../../shared/simulation/index.ts'
import { writeDay } from './write-day.ts'

export interface DayOptions {
  readonly hours: number
  /** Seconds: the coalescing window that it is recorded and played with. */
  readonly window: number
  readonly report: (line: string) => void
}

export interface Day {
  readonly changes: number
  readonly megabytes: number
  readonly writes: number
  readonly seconds: number
  readonly cpuSeconds: number
  /** The most that was resident at once. */
  readonly memoryMb: number
}

/** 100 changes a second, of 20 Services with 100 Pods each. */
const SHAPE = { rate: 100, services: 20, pods: 100 } as const

/** Writes a recording and plays it to one policy. */
export async function measureDay({ hours, window, report }: DayOptions): Promise<Day> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-day-'))
  const file = join(folder, 'record.ndjson')
  try {
    report(`writing ${hours} h of ${SHAPE.rate} changes a second`)
    const changes = await writeDay({ ...SHAPE, file, seconds: hours * 3600, window })
    const { size } = await stat(file)
    report(`playing ${changes} changes, ${(size / 1e6).toFixed(0)} MB`)
    const begin = { at: performance.now(), cpu: process.cpuUsage() }
    const workload = await openRecorded({ from: [file], onProblem: report })
    const { run } = await simulate({ workload, policy: 'in-tree', settings: { coalescingWindow: window } })
    const { user, system } = process.cpuUsage(begin.cpu)
    if (run.changes !== changes) throw new Error(`${run.changes} of ${changes} changes were played`)
    return {
      changes,
      megabytes: size / 1e6,
      writes: run.writes,
      seconds: (performance.now() - begin.at) / 1000,
      cpuSeconds: (user + system) / 1e6,
      memoryMb: process.resourceUsage().maxRSS / 1024,
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

export const MAX_SECONDS = 120
export const MAX_MB = 1000

export function dayText({ changes, megabytes, writes, seconds, cpuSeconds, memoryMb }: Day): string {
  return `${changes.toLocaleString('en')} changes in ${megabytes.toFixed(0)} MB, played in ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of CPU), ${writes.toLocaleString('en')} writes, ${memoryMb.toFixed(0)} MB resident at most`
}

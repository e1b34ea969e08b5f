import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Preparation, playPhase } from '../race/arena.ts'
import { startContender } from '../race/contenders.ts'
import type { ChangeKind, Latency } from '../race/judge.ts'
import { treeUsage } from '../race/usage.ts'
import { churn } from '../race/works/churn.ts'
import { type ComparedFigure, compareLaps, type Lap } from './compare-laps.ts'
import { isRecording, LAP_MS, nextPair } from './laps.ts'

interface CostOptions {
  /** Pairs of laps, one without a recording and one with. */
  readonly pairs: number
  readonly report: (line: string) => void
}

interface RecorderCost {
  readonly figures: readonly ComparedFigure[]
  /** Differences of the slices in the end; empty when all was right. */
  readonly differences: readonly string[]
  /** The share of all processors that other processes took. */
  readonly others: number
}

/** Share by which recording may make changes later and take more processor time. */
const MAX_MORE = 0.05

const RATE = 100
/** A process that has just started is slower. */
const WARM_UP_SECONDS = 20
/** Changes that neither bring nor save traffic: they may wait. */
const DEFERRABLE: ReadonlySet<ChangeKind> = new Set(['added', 'terminating', 'gone'])
const MAIN = fileURLToPath(new URL('alternating-run.ts', import.meta.url))

/**
 * Plays one churn of Pods to one process that records in every second lap. The speed of a machine changes
 * from minute to minute by more than what is to be measured, so the laps are short and compared in pairs.
 */
export async function measureCost({ pairs, report }: CostOptions): Promise<RecorderCost> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-cost-'))
  const latencies: Latency[] = []
  const usage: number[] = []
  let [pid, first] = [0, 0]
  const prepare: Preparation = async (arena) => {
    const sizes = { services: 50, pods: 20, rate: RATE, seconds: (2 * pairs * LAP_MS) / 1000 }
    const work = churn({ ...sizes, warmUpSeconds: WARM_UP_SECONDS, ofPodsOnly: true })
    const phase = await work.prepare(arena)
    return async () => {
      first = nextPair(Date.now())
      const sampling = sampleLaps(first, 2 * pairs, async () => (await treeUsage(pid)).cpuSeconds)
      await sleep(first - Date.now())
      await phase()
      usage.push(...(await sampling))
    }
  }
  try {
    const { cpuSeconds, differences, seconds } = await playPhase(prepare, {
      contender: 'sliceflow',
      async start(kubeconfig) {
        const options = { main: MAIN, record: join(folder, 'record.ndjson') }
        const contender = await startContender('sliceflow', kubeconfig, options)
        pid = contender.pid
        return contender
      },
      report,
      onLatency: (latency) => latencies.push(latency),
    })
    const laps = usage
      .slice(1)
      .map((used, index) => lapOf(first + index * LAP_MS, used - (usage[index] ?? 0)))
    for (const latency of latencies) {
      const lap = laps[Math.floor((performance.timeOrigin + latency.since - first) / LAP_MS)]
      lap?.[DEFERRABLE.has(latency.kind) ? 'deferrable' : 'urgent'].push(latency.milliseconds)
    }
    const others = cpuSeconds.others / (seconds * availableParallelism())
    return { figures: compareLaps(laps), differences, others }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** @returns what was read at the beginning of each lap, and at the end of the last one */
async function sampleLaps(first: number, laps: number, read: () => Promise<number>): Promise<number[]> {
  const samples: number[] = []
  for (let lap = 0; lap <= laps; lap++) {
    await sleep(first + lap * LAP_MS - Date.now())
    samples.push(await read())
  }
  return samples
}

const lapOf = (start: number, cpuSeconds: number): Lap => ({
  isRecorded: isRecording(start + LAP_MS / 2),
  urgent: [],
  deferrable: [],
  cpuSeconds,
})

const percentText = (share: number): string => `${(share * 100).toFixed(0)} %`

/** Formats Markdown. */
export function costTable({ figures, others }: RecorderCost): string {
  return [
    `| ${RATE} changes a second | recording off | on | difference | 95 % of resamples |`,
    '| --- | ---: | ---: | ---: | ---: |',
    ...figures.map(({ name, off, on, more, between }) =>
      row(name, off.toFixed(2), on.toFixed(2), percentText(more), between.map(percentText).join(' to ')),
    ),
    '',
    `Other processes took ${percentText(others)} of the processors.`,
  ].join('\n')
}

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`

export const isCheap = ({ figures, differences }: RecorderCost): boolean =>
  differences.length === 0 && figures.every(({ isBounded, more }) => !isBounded || more <= MAX_MORE)

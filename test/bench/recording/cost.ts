import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { playPhase } from '../race/arena.ts'
import { startContender } from '../race/contenders.ts'
import type { ChangeKind } from '../race/judge.ts'
import { median, percentile } from '../race/latencies.ts'
import { churn } from '../race/works/churn.ts'

export interface CostOptions {
  readonly rounds: number
  /** Length of what is measured of each phase. */
  readonly seconds: number
  readonly checkout: boolean
  readonly report: (line: string) => void
}

/** Figures of one phase. Delays are milliseconds from a change until it is published. */
interface Figures {
  readonly p50: number
  /** Delay of 99 % of the changes that bring or save traffic, which wait for nothing but the look before. */
  readonly p99: number
  /** The same of Pods that terminate or are gone, whose changes are gathered for a while. */
  readonly patientP99: number
  readonly cpuSeconds: number
}

/** Figures of one phase, and how far others have disturbed it. */
interface Cost extends Figures {
  readonly differences: readonly string[]
  /** The share of all processors that other processes took. */
  readonly others: number
}

/** Medians of the rounds. */
export interface RecorderCost {
  readonly off: Figures
  readonly on: Figures
  readonly differences: readonly string[]
  /** The most of all phases. */
  readonly others: number
}

/** Share by which recording may make changes later and take more processor time. */
export const MOST_MORE = 0.05

const RATE = 100
/** A process that has just started is slower. */
const WARM_UP_SECONDS = 10
const PATIENT: ReadonlySet<ChangeKind> = new Set(['terminating', 'gone'])

/**
 * Plays the same churn of Pods with and without a recording, in turn; every second round in the opposite
 * order.
 */
export async function measureCost(options: CostOptions): Promise<RecorderCost> {
  const costs: Record<'off' | 'on', Cost[]> = { off: [], on: [] }
  for (let round = 0; round < options.rounds; round++) {
    const order = ['off', 'on'] as const
    for (const recording of round % 2 === 0 ? order : order.toReversed())
      costs[recording].push(await play(recording, options))
  }
  const all = [...costs.off, ...costs.on]
  return {
    off: mediansOf(costs.off),
    on: mediansOf(costs.on),
    differences: all.flatMap(({ differences }) => differences),
    others: Math.max(...all.map(({ others }) => others)),
  }
}

function mediansOf(costs: readonly Cost[]): Figures {
  const of = (figure: keyof Figures): number => median(costs.map((cost) => cost[figure]))
  return { p50: of('p50'), p99: of('p99'), patientP99: of('patientP99'), cpuSeconds: of('cpuSeconds') }
}

async function play(recording: 'off' | 'on', { seconds, checkout, report }: CostOptions): Promise<Cost> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-cost-'))
  const record = recording === 'on' ? { record: join(folder, 'record.ndjson') } : {}
  const sizes = { services: 50, pods: 20, rate: RATE, seconds }
  const { title, prepare } = churn({ ...sizes, warmUpSeconds: WARM_UP_SECONDS, ofPodsOnly: true })
  try {
    const { latencies, cpuSeconds, differences, ...phase } = await playPhase(prepare, {
      contender: 'sliceflow',
      start: (kubeconfig) => startContender('sliceflow', kubeconfig, { checkout, ...record }),
      report: (line) => report(`recording ${recording}, ${title}: ${line}`),
    })
    const delays = (isPatient: boolean): number[] =>
      [...latencies]
        .filter(([kind]) => PATIENT.has(kind) === isPatient)
        .flatMap(([, values]) => values)
        .sort((a, b) => a - b)
    const urgent = delays(false)
    const cost = {
      p50: percentile(urgent, 0.5),
      p99: percentile(urgent, 0.99),
      patientP99: percentile(delays(true), 0.99),
      cpuSeconds: cpuSeconds.controller,
      differences,
      others: cpuSeconds.others / (phase.seconds * availableParallelism()),
    }
    const { p50, p99, patientP99 } = cost
    const figures = [p50, p99, patientP99].map((ms) => ms.toFixed(0)).join(', ')
    report(
      `recording ${recording}: ${figures} ms, ${cost.cpuSeconds.toFixed(1)} s of CPU, ${shareText(cost.others)} of the machine for others`,
    )
    return cost
  } finally {
    await rm(folder, { recursive: true })
  }
}

const shareText = (share: number): string => `${(share * 100).toFixed(0)} %`

export function costTable({ off, on, others }: RecorderCost): string {
  const row = (name: string, before: number, after: number): string =>
    `| ${name} | ${before.toFixed(1)} | ${after.toFixed(1)} | ${((after / before - 1) * 100).toFixed(0)} % |`
  return [
    `| ${RATE} changes a second | recording off | on | difference |`,
    '| --- | ---: | ---: | ---: |',
    row('late p50, ms', off.p50, on.p50),
    row('late p99, ms', off.p99, on.p99),
    row('late p99 of terminating and gone, ms', off.patientP99, on.patientP99),
    row('CPU, s', off.cpuSeconds, on.cpuSeconds),
    '',
    `Other processes took ${shareText(others)} of the processors at most.`,
  ].join('\n')
}

export const isCheap = ({ off, on, differences }: RecorderCost): boolean =>
  differences.length === 0 &&
  on.p99 <= off.p99 * (1 + MOST_MORE) &&
  on.cpuSeconds <= off.cpuSeconds * (1 + MOST_MORE)

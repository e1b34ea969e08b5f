import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playPhase } from '../race/arena.ts'
import { startContender } from '../race/contenders.ts'
import { median, percentile } from '../race/latencies.ts'
import { churn } from '../race/works/churn.ts'

export interface CostOptions {
  readonly rounds: number
  /** Length of each phase. */
  readonly seconds: number
  readonly checkout: boolean
  readonly report: (line: string) => void
}

/** Cost of one phase. */
interface Cost {
  /** Milliseconds from a change until it is published, of 99 %. */
  readonly p99: number
  readonly cpuSeconds: number
  readonly differences: readonly string[]
}

/** Medians of the rounds. */
export interface RecorderCost {
  readonly off: Pick<Cost, 'p99' | 'cpuSeconds'>
  readonly on: Pick<Cost, 'p99' | 'cpuSeconds'>
  readonly differences: readonly string[]
}

/** Share by which recording may make changes later and take more processor time. */
export const MOST_MORE = 0.05

const RATE = 100

/** Plays the same churn with and without a recording, in turn; every second round in the opposite order. */
export async function measureCost(options: CostOptions): Promise<RecorderCost> {
  const costs: Record<'off' | 'on', Cost[]> = { off: [], on: [] }
  for (let round = 0; round < options.rounds; round++) {
    const order = ['off', 'on'] as const
    for (const recording of round % 2 === 0 ? order : order.toReversed())
      costs[recording].push(await play(recording, options))
  }
  const medians = (of: readonly Cost[]): RecorderCost['on'] => ({
    p99: median(of.map(({ p99 }) => p99)),
    cpuSeconds: median(of.map(({ cpuSeconds }) => cpuSeconds)),
  })
  return {
    off: medians(costs.off),
    on: medians(costs.on),
    differences: [...costs.off, ...costs.on].flatMap(({ differences }) => differences),
  }
}

async function play(recording: 'off' | 'on', { seconds, checkout, report }: CostOptions): Promise<Cost> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-cost-'))
  const record = recording === 'on' ? { record: join(folder, 'record.ndjson') } : {}
  const { title, prepare } = churn({ services: 50, pods: 20, rate: RATE, seconds })
  try {
    const { latencies, cpuSeconds, differences } = await playPhase(prepare, {
      contender: 'sliceflow',
      start: (kubeconfig) => startContender('sliceflow', kubeconfig, { checkout, ...record }),
      report: (line) => report(`recording ${recording}, ${title}: ${line}`),
    })
    const delays = [...latencies.values()].flat().sort((a, b) => a - b)
    return { p99: percentile(delays, 0.99), cpuSeconds: cpuSeconds.controller, differences }
  } finally {
    await rm(folder, { recursive: true })
  }
}

export function costTable({ off, on }: RecorderCost): string {
  const row = (name: string, before: number, after: number): string =>
    `| ${name} | ${before.toFixed(1)} | ${after.toFixed(1)} | ${((after / before - 1) * 100).toFixed(0)} % |`
  return [
    `| ${RATE} changes a second | recording off | on | difference |`,
    '| --- | ---: | ---: | ---: |',
    row('late p99, ms', off.p99, on.p99),
    row('CPU, s', off.cpuSeconds, on.cpuSeconds),
  ].join('\n')
}

export const isCheap = ({ off, on, differences }: RecorderCost): boolean =>
  differences.length === 0 &&
  on.p99 <= off.p99 * (1 + MOST_MORE) &&
  on.cpuSeconds <= off.cpuSeconds * (1 + MOST_MORE)

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRecorded } from '../../../cli/simulate/index.ts'
import { simulate } from '../../../shared/simulation/index.ts'
import { playPhase } from '../race/arena.ts'
import { startContender } from '../race/contenders.ts'
import { percentile } from '../race/latencies.ts'
import type { Work } from '../race/works/index.ts'

/** Figures of a run, and those of a simulation of its recording. */
export interface Agreement {
  readonly work: string
  readonly real: Figures
  readonly simulated: Figures
  /** Differences in the end; empty when all was right. */
  readonly differences: readonly string[]
}

export interface Figures {
  readonly writes: number
  /** Bytes of one watch, in JSON. */
  readonly bytes: number
  /** Milliseconds from a change until it is published. */
  readonly p50: number
  readonly p99: number
}

/** Largest difference between simulated figures and real ones, as a share of the real ones. */
const TOLERANCES: Readonly<Record<Exclude<keyof Figures, 'p99'>, number>> = {
  writes: 0.1,
  bytes: 0.1,
  p50: 0.25,
}

interface AgreementOptions {
  readonly window?: number | undefined
  readonly checkout: boolean
  readonly report: (line: string) => void
}

/**
 * Plays a work to Sliceflow that records, on a server of its own, and simulates with the same settings what
 * was recorded.
 */
export async function measureAgreement(
  { title, prepare }: Work,
  { window, checkout, report }: AgreementOptions,
): Promise<Agreement> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-agreement-'))
  const record = join(folder, 'record.ndjson')
  let since = 0
  try {
    const { latencies, sliceWrites, watchBytes, differences } = await playPhase(
      async (arena) => {
        const phase = await prepare(arena)
        return async () => {
          since = Date.now()
          await phase()
        }
      },
      {
        contender: 'sliceflow',
        start: (kubeconfig) =>
          startContender('sliceflow', kubeconfig, {
            checkout,
            record,
            ...(window !== undefined && { window }),
          }),
        report: (line) => report(`${title}: ${line}`),
      },
    )
    const delays = [...latencies.values()].flat().sort((a, b) => a - b)
    report(`${title}: simulating the recording`)
    return {
      work: title,
      real: {
        writes: sliceWrites,
        bytes: watchBytes,
        p50: percentile(delays, 0.5),
        p99: percentile(delays, 0.99),
      },
      simulated: await simulated(record, since, report),
      differences,
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function simulated(file: string, since: number, report: (line: string) => void): Promise<Figures> {
  const workload = await openRecorded({ from: [file], since, onProblem: report })
  const { coalescingWindow, maxEndpointsPerSlice } = workload.settings
  const { run } = await simulate({
    workload,
    policy: 'in-tree',
    watching: { encoding: 'json', watchers: 1 },
    settings: {
      ...(typeof coalescingWindow === 'number' && { coalescingWindow }),
      maxEndpointsPerSlice: Number(maxEndpointsPerSlice),
    },
  })
  return { writes: run.writes, bytes: run.bytesSent, ...run.stalenessMs }
}

/** Formats Markdown: a row for each figure of each work. */
export function agreementTable(agreements: readonly Agreement[]): string {
  const rows = agreements.flatMap(({ work, real, simulated: found }) =>
    (['writes', 'bytes', 'p50', 'p99'] as const).map((figure) => [
      work,
      NAMES[figure],
      numberText(real[figure]),
      numberText(found[figure]),
      `${((found[figure] / real[figure] - 1) * 100).toFixed(0)} %`,
    ]),
  )
  const head = ['work', 'figure', 'real', 'simulated', 'difference']
  return [head, ['---', '---', '---:', '---:', '---:'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

const NAMES: Readonly<Record<keyof Figures, string>> = {
  writes: 'slice writes',
  bytes: 'watch bytes, JSON',
  p50: 'late p50, ms',
  p99: 'late p99, ms',
}

const numberText = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 })

/** Reports whether all figures that were compared are near enough, and every slice was right. */
export const agrees = ({ real, simulated: found, differences }: Agreement): boolean =>
  differences.length === 0 &&
  (Object.keys(TOLERANCES) as (keyof typeof TOLERANCES)[]).every(
    (figure) => Math.abs(found[figure] / real[figure] - 1) <= TOLERANCES[figure],
  )

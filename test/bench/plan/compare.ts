import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { upstreamProgram } from '../../../shared/endpointslice/test/differential/program.ts'
import { type BenchCase, benchCases } from './bench-cases.ts'
import { type Measurement, measurePlan } from './measure.ts'

export interface Comparison {
  readonly id: string
  readonly podCount: number
  readonly upstream: Measurement
  readonly ours: Measurement
  /** Our time by upstream's: less than 1 is faster. */
  readonly ratio: number
}

/**
 * Growth of the time per pod from the smaller to the larger of two cases of a kind; 1 when the time is
 * linear.
 */
export interface Growth {
  readonly kind: string
  readonly upstream: number
  readonly ours: number
}

/**
 * Measures both, one after the other, on each case whose id contains the filter.
 * @throws Error if the two write different numbers of slices, as they then did not do the same work
 */
export async function compareAll(
  filter: string,
  report: (comparison: Comparison) => void,
): Promise<Comparison[]> {
  const comparisons: Comparison[] = []
  for (const benchCase of benchCases().filter(({ id }) => id.includes(filter))) {
    const comparison = await compareOn(benchCase)
    report(comparison)
    comparisons.push(comparison)
  }
  return comparisons
}

async function compareOn(benchCase: BenchCase): Promise<Comparison> {
  const { id, podCount } = benchCase
  const upstream = await measureUpstream(benchCase)
  const ours = measurePlan(benchCase)
  if (writesOf(ours) !== writesOf(upstream)) {
    throw new Error(
      `${id}: plan() writes ${writesOf(ours)} slices (created/updated/deleted), upstream ${writesOf(upstream)}`,
    )
  }
  return { id, podCount, upstream, ours, ratio: ours.milliseconds / upstream.milliseconds }
}

/**
 * Measures one Reconcile call of k8s.io/endpointslice on the case, with a client that does nothing.
 * @throws Error if the program fails
 */
async function measureUpstream(benchCase: BenchCase): Promise<Measurement> {
  const program = await upstreamProgram((line) => process.stderr.write(`${line}\n`))
  const child = spawn(program, ['bench'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const output = text(child.stdout)
  child.stdin.end(`${JSON.stringify(benchCase)}\n`)
  const line = await output
  if (line === '') throw new Error(`failed to time upstream on ${benchCase.id}: it gave no answer`)
  return JSON.parse(line)
}

const writesOf = ({ create, update, delete: removed }: Measurement): string =>
  `${create}/${update}/${removed}`

const SMALL = 1000
const LARGE = 10_000

export function growthsOf(comparisons: readonly Comparison[]): Growth[] {
  const byId = new Map(comparisons.map((comparison) => [comparison.id, comparison]))
  return ['create', 'unchanged', 'rolled'].flatMap((kind) => {
    const small = byId.get(`${kind} ${SMALL}`)
    const large = byId.get(`${kind} ${LARGE}`)
    if (small === undefined || large === undefined) return []
    const growth = (of: 'upstream' | 'ours'): number =>
      large[of].milliseconds / large.podCount / (small[of].milliseconds / small.podCount)
    return [{ kind, upstream: growth('upstream'), ours: growth('ours') }]
  })
}

import { argv, exit, stderr, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { BinariesError } from '../../../../test/support/go-program.ts'
import { differencesIn, kindOf } from './differences.ts'
import { compareGenerated } from './generated.ts'
import { keepCase, keptCases } from './kept.ts'
import { upstreamProgram } from './program.ts'
import { describeFinding } from './report.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const USAGE = `node shared/endpointslice/test/differential/main.ts [N] [--seed S]

Plans N generated cases (default 1000) with plan() and with k8s.io/endpointslice and compares what they write; the
cases in shared/endpointslice/test/differential/kept come first. A seed (default: by the clock) gives the same cases again.
Each kind of difference is printed with a small case, which is written to shared/endpointslice/test/differential/kept; it ends early after three.
Exit codes: 0 no difference, 1 some, 2 wrong use or no Go.`
const SEEDS = 2 ** 31
const PROGRESS_EVERY = 500

const log = (line: string): unknown => stderr.write(`${line}\n`)

function readArguments(): { count: number; seed: number } {
  const { values, positionals } = parseArgs({
    args: argv.slice(2),
    allowPositionals: true,
    options: { seed: { type: 'string' }, help: { type: 'boolean' } },
  })
  if (values.help) {
    stdout.write(`${USAGE}\n`)
    exit(0)
  }
  const [count = '1000', ...others] = positionals
  const seed = values.seed ?? String(Date.now() % SEEDS)
  if (others.length > 0 || !/^\d+$/.test(count) || !/^\d+$/.test(seed))
    throw new Error('N and S are whole numbers')
  return { count: Number(count), seed: Number(seed) }
}

/** @returns how many cases were compared and how many differed */
async function compareKept(upstream: Upstream): Promise<{ compared: number; different: number }> {
  const cases = await keptCases()
  let different = 0
  for (const testCase of cases) {
    const differences = await differencesIn(testCase, upstream)
    if (differences.length === 0) continue
    different++
    stdout.write(`kept: ${kindOf(differences)}: ${describeFinding(testCase, differences)}\n\n`)
  }
  if (cases.length > 0) log(`${cases.length} kept cases compared, ${different} differ`)
  return { compared: cases.length, different }
}

async function run({ count, seed }: { count: number; seed: number }): Promise<number> {
  const upstream = startUpstream(await upstreamProgram(log))
  try {
    const kept = await compareKept(upstream)
    const report = (compared: number, different: number): void => {
      if (compared % PROGRESS_EVERY === 0) log(`${compared} of ${count} cases compared, ${different} differ`)
    }
    const { compared, different, findings } = await compareGenerated(upstream, { count, seed, report })
    for (const { kind, testCase, differences } of findings) {
      const path = await keepCase(testCase, kind)
      stdout.write(`${kind}: ${describeFinding(testCase, differences)}\n  kept as ${path}\n\n`)
    }
    const total = kept.different + different
    stdout.write(
      `seed ${seed}: ${kept.compared} kept and ${compared} generated cases compared, ${total} differences\n`,
    )
    return total
  } finally {
    await upstream.close()
  }
}

let settings: { count: number; seed: number }
try {
  settings = readArguments()
} catch (error) {
  log(`${(error as Error).message}\n\n${USAGE}`)
  exit(2)
}
try {
  process.exitCode = (await run(settings)) === 0 ? 0 : 1
} catch (error) {
  if (!(error instanceof BinariesError)) throw error
  log(error.message)
  process.exitCode = 2
}

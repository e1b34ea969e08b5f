import { argv, exit, stderr, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { BinariesError } from '../../../../test/support/go-program.ts'
import { compareGenerated } from './generated.ts'
import { upstreamProgram } from './program.ts'
import { describeFinding } from './report.ts'
import { startUpstream } from './upstream.ts'

const USAGE = `node shared/endpointslice/test/differential/main.ts [N] [--seed S]

Plans N generated cases (default 1000) with plan() and with k8s.io/endpointslice and compares what they write.
A seed (default: by the clock) gives the same cases again. Each kind of difference is printed with a small case and
its JSON; it ends early after three.
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

async function run({ count, seed }: { count: number; seed: number }): Promise<number> {
  const upstream = startUpstream(await upstreamProgram(log))
  try {
    const report = (compared: number, different: number): void => {
      if (compared % PROGRESS_EVERY === 0) log(`${compared} of ${count} cases compared, ${different} differ`)
    }
    const { compared, different, findings } = await compareGenerated(upstream, { count, seed, report })
    for (const { kind, testCase, differences } of findings)
      stdout.write(`${kind}: ${describeFinding(testCase, differences)}\n  ${JSON.stringify(testCase)}\n\n`)
    stdout.write(`seed ${seed}: ${compared} generated cases compared, ${different} differences\n`)
    return different
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

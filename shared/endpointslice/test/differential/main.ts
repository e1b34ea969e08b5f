import { argv, exit, stderr, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { BinariesError } from '../../../../test/support/go-program.ts'
import { compareGenerated } from './generated.ts'
import { upstreamProgram } from './program.ts'
import { startUpstream } from './upstream.ts'

const USAGE = `node shared/endpointslice/test/differential/main.ts [N] [--seed S]

Plans N generated cases (default 1000) with plan() and with k8s.io/endpointslice and compares what they write.
A seed (default: by the clock) gives the same cases again. The first case that differs is made small and printed.
Exit codes: 0 no difference, 1 one, 2 wrong use or no Go.`
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

async function run({ count, seed }: { count: number; seed: number }): Promise<void> {
  const upstream = startUpstream(await upstreamProgram(log))
  try {
    const report = (compared: number): void => {
      if (compared % PROGRESS_EVERY === 0) log(`${compared} of ${count} cases compared`)
    }
    await compareGenerated(upstream, { count, seed, report })
    stdout.write(`seed ${seed}: ${count} generated cases compared, no difference\n`)
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
  await run(settings)
} catch (error) {
  log(`seed ${settings.seed}: ${(error as Error).message}`)
  process.exitCode = error instanceof BinariesError ? 2 : 1
}

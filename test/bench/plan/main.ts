import { argv, exit, stderr, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { BinariesError } from '../../support/go-program.ts'
import { compareAll, type Growth, growthsOf } from './compare.ts'
import { tableOf } from './table.ts'

const USAGE = `node test/bench/plan/main.ts [--filter TEXT] [--json]

Times plan() and the in-tree controller's Reconcile (k8s.io/endpointslice) on the same cases, one after the other.
--filter keeps the cases whose name holds the text; --json prints all that was measured.
Exit codes: 0 done, 1 failed, 2 wrong use or no Go.`

const growthLine = ({ kind, upstream, ours }: Growth): string =>
  `${kind}: ${ours.toFixed(2)} (upstream ${upstream.toFixed(2)})`

async function run({ filter, json }: { filter: string; json: boolean }): Promise<void> {
  const comparisons = await compareAll(filter, ({ id }) => stderr.write(`measured ${id}\n`))
  const growths = growthsOf(comparisons)
  if (json) {
    stdout.write(`${JSON.stringify({ comparisons, growths }, undefined, 2)}\n`)
    return
  }
  stdout.write(`${tableOf(comparisons)}\n`)
  if (growths.length > 0) {
    stdout.write(`\ntime per pod at 10,000 by time per pod at 1,000: ${growths.map(growthLine).join(', ')}\n`)
  }
}

function readArguments(): { filter: string; json: boolean } {
  const options = {
    filter: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const
  const { values } = parseArgs({ args: argv.slice(2), options })
  if (values.help) {
    stdout.write(`${USAGE}\n`)
    exit(0)
  }
  return { filter: values.filter ?? '', json: values.json ?? false }
}

let settings: ReturnType<typeof readArguments>
try {
  settings = readArguments()
} catch (error) {
  stderr.write(`${(error as Error).message}\n\n${USAGE}\n`)
  exit(2)
}
try {
  await run(settings)
} catch (error) {
  stderr.write(`${(error as Error).message}\n`)
  process.exitCode = error instanceof BinariesError ? 2 : 1
}

/**
 * `npm run test:upstream`: Kubernetes' own conformance specs, those that need no nodes, on the embedded
 * control plane.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exit, stderr, stdout } from 'node:process'
import { Command, Option } from 'commander'
import pLimit from 'p-limit'
import { ensureBinaries } from '../../../../test/cluster/binaries.ts'
import { ensureUpstreamTests } from './binary.ts'
import { describeOutcome, judge } from './report.ts'
import { type Outcome, runSpec } from './run-spec.ts'
import { startEmbedded, startReal } from './servers.ts'
import { loadSpecs } from './specs.ts'

interface Flags {
  readonly server: 'embedded' | 'kube-apiserver'
  readonly only?: string
  readonly parallel: string
  readonly output?: string
}

const report = (line: string): void => void stderr.write(`${line}\n`)
await new Command('main.ts')
  .description(
    'Runs the 105 conformance specs of Kubernetes that pass on a bare kube-apiserver, one process a spec, and tells which pass. Ends with 1 where one fails that has to pass.',
  )
  .addOption(
    new Option('--server <name>', 'what to run them on')
      .choices(['embedded', 'kube-apiserver'])
      .default('embedded'),
  )
  .option('--only <text>', 'the specs whose names have this text')
  .option('--parallel <number>', 'how many at the same time', '4')
  .option('--output <folder>', 'write what each failed spec printed into this folder')
  .action(async (flags: Flags) => {
    const { text, failed } = judge(await run(flags), flags.server === 'embedded')
    stdout.write(text)
    exit(failed ? 1 : 0)
  })
  .parseAsync()

async function run(flags: Flags): Promise<Outcome[]> {
  const { kubectl } = await ensureBinaries(report)
  if (kubectl === undefined) throw new Error('KUBEBUILDER_ASSETS has no kubectl')
  const program = await ensureUpstreamTests(report)
  const specs = (await loadSpecs()).filter(({ name }) => name.includes(flags.only ?? ''))
  await using server = await (flags.server === 'embedded' ? startEmbedded() : startReal())
  const { kubeconfig, folder } = server
  const limit = pLimit(Number(flags.parallel))
  return await Promise.all(
    specs.map((spec, index) =>
      limit(async () => {
        const outcome = await runSpec(spec, { program, kubectl, kubeconfig, folder })
        report(describeOutcome(outcome))
        if (flags.output !== undefined && !outcome.passed) {
          await writeFile(join(flags.output, `${index}.log`), `${spec.name}\n${outcome.output}`)
        }
        return outcome
      }),
    ),
  )
}

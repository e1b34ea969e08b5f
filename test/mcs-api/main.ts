/** `npm run test:mcs-api`: the conformance suite of the Multi-Cluster Services API on Sliceflow. */
import { appendFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { exit, stderr, stdout } from 'node:process'
import { Command, InvalidArgumentError, Option } from 'commander'
import { ensureBinaries } from '../cluster/binaries.ts'
import { tableOf } from './report.ts'
import { runFleetSuite } from './run.ts'
import { ensureFleetSuite, MCS_API_VERSION } from './suite.ts'

interface Flags {
  readonly clusters: number
  readonly only?: string
  readonly checkout?: string
  readonly output?: string
}

const report = (line: string): void => void stderr.write(`${line}\n`)
await new Command('main.ts')
  .description(
    `Runs the conformance suite of sigs.k8s.io/mcs-api ${MCS_API_VERSION} against "sliceflow run --fleet" with the shipped roles, on kube-apiservers without kubelets: those of its specs that need no pods that run. Ends with 1 where one fails.`,
  )
  .addOption(
    new Option('--clusters <number>', 'how many; the suite itself speaks of two')
      .argParser(clusterCount)
      .default(2),
  )
  .option('--only <text>', 'the specs whose names have this text')
  .option(
    '--checkout <folder>',
    'of kubernetes-sigs/mcs-api, where it cannot be cloned or another one is meant',
  )
  .option('--output <file>', 'write what the suite and Sliceflow print into this file')
  .action(async ({ clusters, only, checkout, output }: Flags) => {
    await ensureBinaries(report)
    const program = await ensureFleetSuite(checkout, report)
    if (output !== undefined) await writeFile(output, '')
    report(`${clusters} clusters; about 2 minutes`)
    const outcomes = await runFleetSuite({
      program,
      clusters,
      only,
      output: (text) => {
        if (output !== undefined) appendFileSync(output, text)
      },
    })
    stdout.write(tableOf(outcomes))
    const failed = outcomes.some(({ state }) => state === 'failed')
    exit(failed || !outcomes.some(({ state }) => state === 'passed') ? 1 : 0)
  })
  .parseAsync()

function clusterCount(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= 9) return count
  throw new InvalidArgumentError('a number from 1 to 9 is needed')
}

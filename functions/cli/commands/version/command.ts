import { Command } from 'commander'
import { SUPPORTED_MINORS } from '../../../preflight/supported-versions.ts'
import { type OutputFormat, outputOption } from '../../options/output.ts'
import { helpText } from '../../output/help-text.ts'
import { findInstallation } from '../../package.ts'

const KUBERNETES = { oldest: `1.${SUPPORTED_MINORS.oldest}`, newest: `1.${SUPPORTED_MINORS.newest}` } as const

const HELP = `
-o json prints {version: 1, sliceflow, kubernetes: {oldest, newest}, node}: the version of Sliceflow, the first and the last version
of Kubernetes that it supports, and the version of Node.js that runs it.

Example:
  $ sliceflow version -o json`

/** Makes the `version` command. */
export const versionCommand = (): Command =>
  new Command()
    .addOption(outputOption())
    .addHelpText('after', helpText(HELP))
    .action(async ({ output }: { readonly output: OutputFormat }) => {
      // Loaded when it is needed: YAML would slow down every --help.
      const { printReport } = await import('../../output/print-report.ts')
      const sliceflow = findInstallation().version
      const report = { version: 1, sliceflow, kubernetes: KUBERNETES, node: process.versions.node }
      printReport(report, output, describe)
    })

interface VersionReport {
  readonly sliceflow: string
  readonly kubernetes: { readonly oldest: string; readonly newest: string }
  readonly node: string
}

const describe = ({ sliceflow, kubernetes: { oldest, newest }, node }: VersionReport): string =>
  `sliceflow ${sliceflow}\nKubernetes ${oldest} to ${newest} (supported)\nNode.js ${node}\n`

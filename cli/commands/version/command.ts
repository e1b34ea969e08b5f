import type { Command } from 'commander'
import { OUTPUT } from '../../options/common.ts'
import { createCommand } from '../../options/create-command.ts'
import type { FlagValues } from '../../options/flags.ts'
import { findInstallation } from '../../package.ts'
import { SUPPORTED_MINORS } from '../../preflight/supported-versions.ts'

const KUBERNETES = { oldest: `1.${SUPPORTED_MINORS.oldest}`, newest: `1.${SUPPORTED_MINORS.newest}` } as const

const HELP = `
-o json prints {version: 1, sliceflow, kubernetes: {oldest, newest}, node}: the version of Sliceflow, the first and the last version
of Kubernetes that it supports, and the version of Node.js that runs it.

Example:
  $ sliceflow version -o json`

export const versionCommand = (): Command =>
  createCommand({ help: HELP, groups: { OUTPUT } }).action(async ({ output }: FlagValues<typeof OUTPUT>) => {
    // Loaded when it is needed: YAML would slow down every --help.
    const { printReport } = await import('../../output/print-report.ts')
    const sliceflow = findInstallation().version
    const { oldest, newest } = KUBERNETES
    const node = process.versions.node
    printReport(
      { version: 1, sliceflow, kubernetes: KUBERNETES, node },
      output,
      () => `sliceflow ${sliceflow}\nKubernetes ${oldest} to ${newest} (supported)\nNode.js ${node}\n`,
    )
  })

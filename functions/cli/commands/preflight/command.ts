import { Command, Option } from 'commander'
import { contextsOption } from '../../options/context.ts'
import type { Flags } from '../../options/flag-groups.ts'
import { addFleet } from '../../options/fleet.ts'
import { addKubeconfig } from '../../options/kubeconfig.ts'
import { outputOption } from '../../options/output.ts'
import { addSettings, FLEET_SETTINGS, PLAN_SETTINGS } from '../../options/settings.ts'
import { helpText } from '../../output/help-text.ts'
import { failOnOption } from './fail-on.ts'

const HELP = `
Checks each cluster before \`run\` starts: whether the server answers, its version, clock and certificate, who you are there and for
how long, every permission that the settings need, whether another controller is at work, and what a first start would write. Give it
the flags that \`run\` gets. Nothing is written. docs/preflight.md has every check.

A line for each check: ✓ good, ! a warning, ✗ run would fail, - not checked, as an earlier check failed or a permission lacks that
only the checks need. After the arrow stands what to type. Each call ends after 10 s. Exit code 0 when all is well, 1 when run would
fail, 3 when it would work with warnings. With --fail-on all, run fails only where every cluster does.

-o json prints one object: {version: 1, outcome, clusters: [{name, server, checks: [{name, mark, reason, advice}]}]}; outcome is ok,
warning or failure, a mark one of these or unchecked; advice may be absent.

Examples:
  The current context's cluster:
    $ sliceflow preflight
  Two clusters of a set, in place of the in-tree controller:
    $ sliceflow preflight --fleet --mode replace --context eu-1 --context us-1
  The clusters of a deployment on AWS, reached and checked with your credentials:
    $ sliceflow preflight --stack Sliceflow --canary
  Before each start, as an init container does: one cluster that is down keeps no other from being served:
    $ sliceflow preflight --fail-on all --ignore-warnings --context eu-1 --context us-1
  Before comparing only:
    $ sliceflow preflight --shadow --mode replace`

/** Makes the `preflight` command: what would keep `run` from working, before it starts. */
export function preflightCommand(): Command {
  const command = new Command()
    .addOption(contextsOption())
    .addOption(
      new Option(
        '--stack <name>',
        'a deployment on AWS, whose template names its clusters and settings: the name or ARN of its stack',
      ).conflicts(['context', 'clusters']),
    )
    .addOption(
      new Option(
        '--clusters <json>',
        'clusters of a deployment, as the variable SLICEFLOW_CLUSTERS of its functions has them',
      ).conflicts('context'),
    )
    .option('--canary', 'check the permissions of a deployment’s canary as well', false)
    .option('--ignore-warnings', 'exit with 0, not 3, when there are warnings only', false)
    .addOption(failOnOption())
    .addOption(outputOption())
    .addHelpText('after', helpText(HELP))
    .action(async (flags: Flags) => {
      // Loaded when it is needed: the API client would slow down every --help.
      const { runPreflight } = await import('./run.ts')
      await runPreflight(flags)
    })
  const names = [...PLAN_SETTINGS, ...FLEET_SETTINGS, 'shadow'] as const
  return addSettings(addFleet(addKubeconfig(command)), names)
}

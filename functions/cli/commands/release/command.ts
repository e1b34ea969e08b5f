import { Command } from 'commander'
import { addContext } from '../../options/context.ts'
import { addKubeconfig } from '../../options/kubeconfig.ts'
import { addNamespace } from '../../options/namespace.ts'
import { outputOption } from '../../options/output.ts'
import { addSettings } from '../../options/settings.ts'
import { helpText } from '../../output/help-text.ts'
import type { ReleaseOptions } from './run.ts'

const HELP = `
SERVICE is a name in the namespace of the kubeconfig's context (else "default"), or NAMESPACE/NAME. With the setting maximumRemoval a plan
that would remove too many ready endpoints of a Service at once is held: an Event PlanHeld on the Service reports it, and \`sliceflow
explain\` shows the plan. A plan is also held if a change of the setting mode would delete slices whose endpoints nobody else
publishes. Releasing it applies the plan of the next reconcile, which follows at once where a relay watches the cluster. A later
hold needs a release of its own.

The plan of an import of a cluster set is held on its own in each importing cluster. --fleet releases that of one cluster.

It writes the annotation sliceflow.dev/release on the Service, with --fleet on the ServiceImport: the user needs list on EndpointSlices
and patch on Services, or on ServiceImports, which the function does not have. If nothing is held, nothing is written, and the exit code is 1.

Examples:
  $ sliceflow release --context eu-1 shop/web
  $ sliceflow release --context us-1 --fleet shop/web`

/** Makes the `release` command: it releases a held plan. */
export function releaseCommand(): Command {
  const command = new Command()
    .argument('<service>', 'NAME or NAMESPACE/NAME')
    .option('--fleet', 'release the plan of the ServiceImport of this name instead')
    .addOption(outputOption())
    .addHelpText('after', helpText(HELP))
    .action(async (service: string, options: ReleaseOptions) => {
      // Loaded when it is needed: the API client would slow down every --help.
      const { runRelease } = await import('./run.ts')
      await runRelease(service, options)
    })
  addNamespace(command)
  addContext(command)
  addKubeconfig(command)
  return addSettings(command, ['managedBy'])
}

import { Command } from 'commander'
import { addContext } from '../../options/context.ts'
import { addKubeconfig } from '../../options/kubeconfig.ts'
import { addNamespaces } from '../../options/namespace.ts'
import { outputOption } from '../../options/output.ts'
import { addSettings } from '../../options/settings.ts'
import { helpText } from '../../output/help-text.ts'
import type { OffboardOptions } from './run.ts'

const HELP = `
Lists the slices that Sliceflow created in the cluster; with --yes it deletes them. Deleting is final, and consumers lose those
endpoints at once. Running it again is harmless. It needs list and delete on EndpointSlices.

First stop whatever would create the slices again: take the cluster out of \`sliceflow run\`, or out of the deployment's clusters.
After deleting it lists once more, and fails if slices have come back.

Slices with Sliceflow's own managed-by value and the name of a Service count as ours. With any other value, which must be given
as --managed-by, only slices that are still as Sliceflow wrote them do (by their seal). To hand Services of replace mode back to the in-tree
controller there is no need to delete anything: it takes slices with its own value over in place.

-o json prints one object: {version: 1, cluster, managedBy, slices: [{namespace, name, service}], notOurs, deleted, cameBack}; deleted is
null and nothing is done without --yes.

Examples:
  $ sliceflow offboard --context eu-1
  $ sliceflow offboard --context eu-1 --yes`

/** Makes the `offboard` command: it removes what Sliceflow made in a cluster. */
export function offboardCommand(): Command {
  const command = new Command()
    .option('--yes', 'delete them', false)
    .addOption(outputOption())
    .addHelpText('after', helpText(HELP))
    .action(async (options: OffboardOptions) => {
      const isExplicit = command.getOptionValueSource('managedBy') === 'cli'
      // Loaded when it is needed: the API client would slow down every --help.
      const { runOffboard } = await import('./run.ts')
      await runOffboard({ ...options, isExplicit })
    })
  addNamespaces(command)
  addContext(command, true)
  addKubeconfig(command)
  return addSettings(command, ['managedBy'])
}

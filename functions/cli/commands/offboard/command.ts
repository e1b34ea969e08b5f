import { Command, Option } from 'commander'
import { addContext } from '../../options/context.ts'
import { addKubeconfig } from '../../options/kubeconfig.ts'
import { addSettings } from '../../options/settings.ts'
import type { OffboardOptions } from './run.ts'

const HELP = `
Lists what Sliceflow made in the cluster, and nothing else; with --yes it deletes that. Deleting is final, and consumers lose
those endpoints at once. Running it again is harmless. It needs list and delete on EndpointSlices.

First stop what would make the slices again: take the cluster out of \`sliceflow run\`, or out of the deployment's clusters. After deleting it
looks once more, and fails when slices have come back.

Ours are the slices with Sliceflow's own managed-by value and a Service's name. Under any other value, which must be given with
--managed-by, only those that are still as Sliceflow wrote them (their seal tells). To hand Services of replace mode back to the in-tree
controller there is no need to delete anything: it takes slices with its own value over in place.

-o json prints one object: {version: 1, cluster, managedBy, slices: [{namespace, name, service}], notOurs, deleted, cameBack}; deleted is
null and nothing is done without --yes.

Examples:
  $ sliceflow offboard --context eu-1
  $ sliceflow offboard --context eu-1 --yes`

/** Makes the `offboard` command: it removes what Sliceflow made in a cluster. */
export function offboardCommand(): Command {
  const command = new Command('offboard')
    .description('remove the EndpointSlices that Sliceflow made in a cluster; only lists them without --yes')
    .option('--yes', 'delete them', false)
    .addOption(
      new Option('-o, --output <format>', 'how to print it').choices(['text', 'json']).default('text'),
    )
    .addHelpText('after', HELP)
    .action(async (options: OffboardOptions) => {
      const isExplicit = command.getOptionValueSource('managedBy') === 'cli'
      // Loaded when it is needed: the API client would slow down every --help.
      const { runOffboard } = await import('./run.ts')
      await runOffboard({ ...options, isExplicit })
    })
  addContext(command, true)
  addKubeconfig(command)
  return addSettings(command, ['managedBy'])
}

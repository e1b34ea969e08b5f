import type { Command } from 'commander'
import { createCommand } from '../../options/create-command.ts'

const HELP = `
Fleet Services join the Services of one namespace and name in several clusters into one, by the Multi-Cluster Services
API (KEP-1645): a ServiceExport offers a Service to all clusters of the set, and each of them gets a ServiceImport.

Examples:
  What each cluster needs once, before "sliceflow run --fleet"; skip the first where the API is installed already:
    $ sliceflow fleet crds | kubectl --context eu-1 apply -f -
    $ sliceflow rbac --fleet | kubectl --context eu-1 apply -f -`

/** Creates the `fleet` command: what Services over several clusters need. */
export function fleetCommand(): Command {
  return createCommand({ help: HELP }).addCommand(crdsCommand())
}

const CRDS_HELP = `
The API of mcs-api v0.5: v1beta1 is stored, v1alpha1 is served as well, with one schema. Applied over the definitions of
another implementation of that release it changes only descriptions; over those of an older release it adds fields.
Neither "run" nor a deployment ever applies it: definitions are cluster-wide, and their owner decides about them.
Deleting one deletes every ServiceExport or ServiceImport of the cluster.

Examples:
  What would change:
    $ sliceflow fleet crds | kubectl diff -f -
  Then:
    $ sliceflow fleet crds | kubectl apply -f -`

function crdsCommand(): Command {
  return createCommand({ help: CRDS_HELP })
    .name('crds')
    .description('print the CustomResourceDefinitions of ServiceExport and ServiceImport: YAML')
    .action(async () => {
      const { customResourceDefinitionsYaml } = await import('../../../../shared/fleet/crds/index.ts')
      process.stdout.write(customResourceDefinitionsYaml())
    })
}

import { Command } from 'commander'

const HELP = `
Fleet Services make Services of one namespace and name in several clusters one Service, by the Multi-Cluster Services
API (KEP-1645): a ServiceExport offers a Service to all clusters of the set, a ServiceImport is what each of them gets.

Examples:
  What each cluster needs once, before "sliceflow run --fleet"; of the first nothing where the API is there:
    $ sliceflow fleet crds | kubectl --context eu-1 apply -f -
    $ sliceflow rbac --fleet | kubectl --context eu-1 apply -f -`

/** Creates the `fleet` command: what Services over several clusters need. */
export function fleetCommand(): Command {
  return new Command('fleet')
    .description('print what Services over several clusters need in each of them')
    .addCommand(crdsCommand())
    .addHelpText('after', HELP)
}

const CRDS_HELP = `
It is the API of mcs-api v0.5: v1beta1 is stored, v1alpha1 served too, with one schema. Applied over the definitions of
another implementation of that release it changes nothing but descriptions; over those of an older one it adds fields.
It is never applied by "run" or a deployment: definitions are of the whole cluster, and so its owner's to change.
Deleting one deletes every ServiceExport or ServiceImport of the cluster.

Examples:
  $ sliceflow fleet crds | kubectl diff -f -     what would change
  $ sliceflow fleet crds | kubectl apply -f -`

function crdsCommand(): Command {
  return new Command('crds')
    .description('print the CustomResourceDefinitions of ServiceExport and ServiceImport: YAML')
    .addHelpText('after', CRDS_HELP)
    .action(async () => {
      const { customResourceDefinitionsYaml } = await import('../../../../shared/fleet/crds/index.ts')
      process.stdout.write(customResourceDefinitionsYaml())
    })
}

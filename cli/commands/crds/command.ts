import type { Command } from 'commander'
import { createCommand } from '../../options/create-command.ts'
import { type FlagValues, flag } from '../../options/flags.ts'

const HELP = `
EndpointSelector (KEP-6116, in the group sliceflow.dev until Kubernetes serves it): Pods whose EndpointSlices are
published without a Service. Its definition comes with rules by which view, edit and admin of a namespace cover it.

--fleet: the Multi-Cluster Services API of mcs-api v0.5. v1beta1 is stored, v1alpha1 is served as well, with one schema.
Applied over the definitions of another implementation of that release it changes only descriptions; over those of an
older release it adds fields.

Neither "run" nor a deployment ever applies any of it: definitions are cluster-wide, and their owner decides about them.
Deleting one deletes every object of its kind in the cluster, and the slices of EndpointSelectors with them.

Examples:
  What would change:
    $ sliceflow crds | kubectl diff -f -
  What each cluster needs once, before "sliceflow run --endpoint-selectors true":
    $ sliceflow crds | kubectl apply -f -
    $ sliceflow rbac --endpoint-selectors | kubectl apply -f -
  And before "sliceflow run --fleet"; skip the first where the API is installed already:
    $ sliceflow crds --fleet | kubectl --context eu-1 apply -f -
    $ sliceflow rbac --fleet | kubectl --context eu-1 apply -f -`

const FLAGS = {
  fleet: flag('--fleet', 'those of ServiceExport and ServiceImport, for Services over several clusters'),
}

export const crdsCommand = (): Command =>
  createCommand({ help: HELP, groups: { FLAGS } }).action(async ({ fleet }: FlagValues<typeof FLAGS>) => {
    process.stdout.write(await (fleet ? fleetDefinitions() : selectorDefinition()))
  })

async function fleetDefinitions(): Promise<string> {
  const { customResourceDefinitions } = await import('../../../shared/fleet/crds/index.ts')
  const { yamlOf } = await import('../../../shared/crds/index.ts')
  return yamlOf(customResourceDefinitions())
}

async function selectorDefinition(): Promise<string> {
  const { endpointSelectorDefinition, endpointSelectorRoles, yamlOf } = await import(
    '../../../shared/crds/index.ts'
  )
  return yamlOf([endpointSelectorDefinition(), ...endpointSelectorRoles()])
}

import type { Command } from 'commander'
import { CLUSTER, NAMESPACES, OUTPUT } from '../../options/common.ts'
import { createCommand } from '../../options/create-command.ts'
import { type FlagValues, flag } from '../../options/flags.ts'

const HELP = `
Lists the slices that Sliceflow created in the cluster, and the EndpointSelectors that stand for Services; with --yes it deletes
them. Deleting is final, and consumers lose those endpoints at once. Running it again is harmless. It needs list and delete on
EndpointSlices, and on EndpointSelectors where the cluster serves them.

First stop whatever would create the slices again: take the cluster out of \`sliceflow run\`, or out of the deployment's clusters.
After deleting it lists once more, and fails if any have come back.

Slices with Sliceflow's own managed-by value and the name of a Service count as ours. With any other value, which must be given
as --managed-by, only slices that are still as Sliceflow wrote them do (by their seal). To hand Services of replace mode back to the in-tree
controller there is no need to delete anything: it takes slices with its own value over in place.

-o json prints one object: {version: 1, cluster, managedBy, slices: [{namespace, name, kind, service}], projections: [{namespace, name}], notOurs,
deleted, cameBack}; deleted is null and nothing is done without --yes.

Examples:
  $ sliceflow offboard --context eu-1
  $ sliceflow offboard --context eu-1 --yes`

const FLAGS = {
  yes: flag('--yes', 'delete them'),
  ...OUTPUT,
  ...NAMESPACES,
  ...CLUSTER,
  context: flag('--context <name>', 'a context of the kubeconfig', { isRequired: true }),
}
export type OffboardFlags = FlagValues<typeof FLAGS>

export const offboardCommand = (): Command =>
  createCommand({ help: HELP, groups: { FLAGS }, settings: ['managedBy'] })

import type { Command } from 'commander'
import { CLUSTER, NAMESPACE, OUTPUT } from '../../options/common.ts'
import { createCommand } from '../../options/create-command.ts'
import { flag } from '../../options/flags.ts'

const HELP = `
SERVICE is a name in the namespace of the kubeconfig's context (else "default"), or NAMESPACE/NAME; endpointselector/ before it
names an EndpointSelector. With the setting maximumRemoval a plan
that would remove too many ready endpoints of a Service at once is held: an Event PlanHeld on the Service reports it, and \`sliceflow
explain\` shows the plan. A plan is also held if a change of the setting mode would delete slices whose endpoints no other controller
publishes. Releasing it applies the plan of the next reconcile, which follows at once where a relay watches the cluster. A later
hold needs a release of its own.

The plan of an import of a cluster set is held on its own in each importing cluster. --fleet releases that of one cluster.

It writes the annotation sliceflow.dev/release on the object, with --fleet on the ServiceImport: the user needs list on EndpointSlices
and patch on Services, EndpointSelectors or ServiceImports, which the function does not have. If nothing is held, nothing is written, and the exit code is 1.

Examples:
  $ sliceflow release --context eu-1 shop/web
  $ sliceflow release --context us-1 --fleet shop/web`

export const GROUPS = {
  asked: {
    fleet: flag('--fleet', 'release the plan of the ServiceImport of this name instead'),
    ...OUTPUT,
    ...NAMESPACE,
  },
  cluster: CLUSTER,
}

export const releaseCommand = (): Command =>
  createCommand({ help: HELP, groups: GROUPS, settings: ['managedBy'] }).argument(
    '<service>',
    'NAME or NAMESPACE/NAME, or endpointselector/NAME',
  )

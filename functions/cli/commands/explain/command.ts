import { Command } from 'commander'
import { helpText } from '../../help-text.ts'
import { addContexts } from '../../options/context.ts'
import { addFleet } from '../../options/fleet.ts'
import { addKubeconfig } from '../../options/kubeconfig.ts'
import { addNamespace } from '../../options/namespace.ts'
import { outputOption } from '../../options/output.ts'
import { addSettings, FLEET_SETTINGS, PLAN_SETTINGS } from '../../options/settings.ts'
import type { ExplainOptions } from './run.ts'

const HELP = `
SERVICE is a name in the namespace of the kubeconfig's context (else "default"), or NAMESPACE/NAME. Nothing is written; get on Services,
and list on EndpointSlices, Pods and Nodes are enough (infra/rbac/read-only.yaml). Mode and managed-by value decide which slices are
ours: with --relay they are those of that run; else they must be given as \`run\` or the deployment has them.

What it shows:
  Managed     whether Sliceflow keeps the Service's slices in this mode, and if not, why
  Slices of   the managers of its slices; a warning when two of them publish the same endpoints
  Hints       which topology hints the endpoints get, or why none
  Next write  the slices that the next reconcile would create, update and delete
  Pods        for each pod that the selector matches: the slices that have it, or why it is left out
  Slices      for each slice: its manager, age, time since the change behind it, and what an update would change

-o json prints one object: {version: 1, cluster, namespace, service, mode, managedBy, management: {state, reason}, source, managers,
warnings, addressTypes, hints, endpoints: [{name, outcome, reasons: [{code, message}], published}], slices: [{name, outcome, reasons,
differences, seal}], writes: {create, update, delete}, problems}.

With --fleet the Service is one of a cluster set (sliceflow run --fleet), and the flags must be those of \`run\`; with --relay the sets and
their clusters are those of that run. It shows for every
cluster what it exports, with the conditions in words, and which export wins; what it imports, or what prevents that; and for
every endpoint in which clusters it arrives, or why not. \`sliceflow rbac --fleet --read-only\` is enough. -o json prints {version: 1,
clusterSet, namespace, service, merged: {type, ports, clusters}, exports: [{cluster, state, wins, conditions}], imports: [{cluster,
state, reason, ips, sources, writes}], endpoints: [{cluster, name, addresses, arrivals: [{cluster, outcome, slices, reasons}]}], warnings}.

Examples:
  Why does a pod get no traffic?
    $ sliceflow explain --context eu-1 shop/web
  As the run on this machine has it (sliceflow run --metrics-port 9090), whatever its mode:
    $ sliceflow explain --relay http://127.0.0.1:9090 shop/web
  The same for Services of the in-tree controller that Sliceflow has taken over:
    $ sliceflow explain --context eu-1 --mode replace --managed-by endpointslice-controller.k8s.io shop/web
  The pods that are left out, and why:
    $ sliceflow explain shop/web -o json | jq '.endpoints[] | select(.outcome == "LeftOut") | {name, reasons}'
  Which clusters export a Service, who wins, and where its endpoints arrive:
    $ sliceflow explain --context eu-1 --context us-1 --fleet shop/web`

/** Makes the `explain` command: it shows what becomes of every pod and slice of one Service. */
export function explainCommand(): Command {
  const command = new Command('explain')
    .description(
      'show which pods of a Service are published where, which are not and why, and what would be written',
    )
    .argument('[service]', 'NAME or NAMESPACE/NAME')
    .option(
      '--relay <url>',
      'speak of a run: use its settings; by the URL of its --metrics-port or by its --state-dir',
    )
    .addOption(outputOption())
    .addHelpText('after', helpText(HELP))
    .action(async (service: string | undefined, options: ExplainOptions) => {
      // Loaded when it is needed: the API client would slow down every --help.
      const { runExplain } = await import('./run.ts')
      await runExplain(service, options, command)
    })
  addNamespace(command)
  addContexts(command)
  addKubeconfig(command)
  addFleet(command)
  return addSettings(command, [...PLAN_SETTINGS, ...FLEET_SETTINGS])
}

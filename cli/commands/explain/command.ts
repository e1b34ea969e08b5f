import type { Command } from 'commander'
import { CLUSTERS, NAMESPACE, OUTPUT } from '../../options/common.ts'
import { createCommand } from '../../options/create-command.ts'
import { flag, type groupFlags, repeated } from '../../options/flags.ts'
import { FLEET } from '../../options/fleet.ts'
import { FLEET_SETTINGS, PLAN_SETTINGS } from '../../options/settings.ts'

const HELP = `
SERVICE is a name in the namespace of the kubeconfig's context (else "default"), or NAMESPACE/NAME. Nothing is written; get and list on
Services, EndpointSlices, Pods and Nodes are enough (infra/rbac/read-only.yaml). Mode and managed-by value decide which slices are
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

endpointselector/NAME explains an EndpointSelector as a Service is explained.

pod/NAME, node/NAME and an IP address ask from the other side: which Services, slices and clusters publish it, with which conditions,
since when, and why or why not. A Pod of the name is searched in all namespaces, unless -n or pod/NAMESPACE/NAME says which one. All
clusters that are named with --context are asked, or those of the run of --relay. --from adds the content of a recording: the exact
times, and who took it out. --fleet, or the run of --relay if it has a cluster set, adds where the set imports it.
-o json prints {version: 1, subject, clusters, mode, managedBy, nodes, objects: [{kind, cluster, namespace, name, addresses, node, ready,
deletion, notes, services: [{cluster, namespace, service, outcome, reasons, slices: [{name, managedBy, ready, lastWrite}], warnings,
since, fleet}]}], notes, warnings, recorded: [{time, service, event, cause, worker, text}]}.

Examples:
  Why does a pod get no traffic?
    $ sliceflow explain --context eu-1 shop/web
  Which Services have this Pod, and which nearly do?
    $ sliceflow explain --context eu-1 pod/web-7d4b9-x2x1p
  Who publishes this address, in either cluster, and who took it out last night?
    $ sliceflow explain --context eu-1 --context us-1 10.1.2.3 --from record.ndjson
  What is published of a Node that is drained?
    $ sliceflow explain node/worker-3
  As the run on this machine has it (sliceflow run --metrics-port 9090), whatever its mode:
    $ sliceflow explain --relay http://127.0.0.1:9090 shop/web
  The same for Services of the in-tree controller that Sliceflow has taken over:
    $ sliceflow explain --context eu-1 --mode replace --managed-by endpointslice-controller.k8s.io shop/web
  The pods that are left out, and why:
    $ sliceflow explain shop/web -o json | jq '.endpoints[] | select(.outcome == "LeftOut") | {name, reasons}'
  Which clusters export a Service, who wins, and where its endpoints arrive:
    $ sliceflow explain --context eu-1 --context us-1 --fleet shop/web`

export const GROUPS = {
  asked: {
    relay: flag(
      '--relay <url>',
      'speak of a run: use its settings; by the URL of its --metrics-port or by its --state-dir',
    ),
    from: repeated('--from <source>', 'a recording: a file, or s3://BUCKET/PREFIX; may be repeated', {
      defaultText: 'none',
    }),
    allNamespaces: flag('-A, --all-namespaces', 'a Pod in any namespace, which is the default', {
      conflicts: 'namespace',
    }),
    ...OUTPUT,
    ...NAMESPACE,
  },
  /** One context at most where a Service is asked for without a cluster set. */
  clusters: CLUSTERS,
  fleet: FLEET,
}
export type ExplainFlags = ReturnType<typeof groupFlags<typeof GROUPS>>

export const explainCommand = (): Command =>
  createCommand({
    help: HELP,
    groups: GROUPS,
    settings: [...PLAN_SETTINGS, ...FLEET_SETTINGS],
  }).argument(
    '[service]',
    'NAME or NAMESPACE/NAME; or endpointselector/NAME, pod/NAME, node/NAME, an IP address',
  )

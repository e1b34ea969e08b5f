import type { Command } from 'commander'
import { CLUSTERS, NAMESPACES, outputFlag } from '../../options/common.ts'
import { createCommand } from '../../options/create-command.ts'
import { flag } from '../../options/flags.ts'
import { FLEET } from '../../options/fleet.ts'
import { FLEET_PLAN_SETTINGS } from '../../options/settings.ts'

const HELP = `
Each line of the input is a case, each line of the output the plan for it, in the same order:

  case:  {"id": …, "service": {…}, "pods": [{…}], "nodes": [{…}], "slices": [{…}],
         "maxEndpointsPerSlice": 100, "triggerTime": "RFC 3339", "controllerName": "sliceflow.dev",
         "packing": "upstream"}
  plan:  {"id": …, "create": [{…}], "update": [{…}], "delete": ["name"], "events": ["text"], "error": "text"}

Objects are in the JSON form of the API. Instead of \`service\` a case may have an \`endpointSelector\`. \`pods\` are those that it selects, \`slices\` those labelled with its
name and with controllerName (the managed-by value). \`nodes\` and \`slices\` may be left out when there are none, the last
four fields for their defaults; \`packing\` is upstream or compact. \`error\` names what a plan had to leave out; a
malformed line gives only \`{"id": …, "error": "what is wrong"}\`, and the rest go on.

Example:
  $ echo '{"id": 1, "service": {"metadata": {"name": "web", "namespace": "shop", "uid": "u1"}, "spec": {"clusterIP": "10.96.0.7", "ports": [{"port": 80, "targetPort": 8080}]}}, "pods": [{"metadata": {"name": "web-0", "namespace": "shop", "uid": "u2"}, "spec": {"nodeName": "n1"}, "status": {"podIPs": [{"ip": "10.0.0.5"}]}}], "nodes": [{"metadata": {"name": "n1"}}]}' | sliceflow plan

With --fleet nothing is read from stdin: it prints what the next reconcile of each Service of a cluster set (sliceflow run
--fleet) would create, update and delete in each cluster, and writes nothing; \`sliceflow rbac --fleet --read-only\` is enough.
The other flags belong to --fleet alone. Exit code 1 when a cluster cannot be read, and with --check when something would be written.
-o json prints one object: {version: 1, clusterSet, synced, services: [{namespace, service, clusters: [{cluster, state, reason,
writes: [{verb, kind, name, subresource, object}]}]}], failures: [{cluster, error}]}.

Examples:
  What would change if a cluster set were turned on:
    $ sliceflow plan --context eu-1 --context us-1 --fleet
  The same of one Service, as JSON:
    $ sliceflow plan --context eu-1 --context us-1 --fleet shop/web -o json`

export const GROUPS = {
  clusters: CLUSTERS,
  asked: {
    output: outputFlag('with --fleet: how to print it'),
    check: flag('--check', 'with --fleet: exit code 1 when something would be written'),
    ...NAMESPACES,
  },
  fleet: FLEET,
}

export const planCommand = (): Command =>
  createCommand({ help: HELP, groups: GROUPS, settings: FLEET_PLAN_SETTINGS }).argument(
    '[service]',
    'with --fleet: NAME or NAMESPACE/NAME (default: all of the set)',
  )

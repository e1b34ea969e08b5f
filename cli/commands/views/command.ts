import type { Command } from 'commander'
import { createCommand } from '../../options/create-command.ts'
import { choice, flag, formed, type groupFlags, port } from '../../options/flags.ts'

const HELP = `
The spec is YAML: an object of kind Operator or a bare list of controllers, in the language of Δ-controller's operators.
All of its errors are reported at once, with file, line and column.

With --events - each line of standard input is a change, and gives one line of output:

  in:   {"type": "Added|Updated|Upserted|Replaced|Deleted", "object": {…}}  or  {"type": "Sync", "controller": "…"}
  out:  {"event": n, "pipeline": [{"controller", "type": "Upserted|Deleted", "object"}],
        "view": [{"type": "Added|Updated|Deleted", "object"}], "errors": ["text"]}

Line 0 is the output of the start. \`pipeline\` is what the controllers sent to their targets, \`view\` what changed in the
views. A malformed line or object is reported in \`errors\`, and the rest go on.

With --kubeconfig the objects are those of a cluster: line 0 is the output of its objects at the start, and each later line
that of a change, if there is any. Targets that are not views are written to the cluster; one whose source goes while
nothing runs stays there, as nothing tells it from objects of others. SIGTERM and SIGINT end it.

With --serve views are resources of a Kubernetes API on 127.0.0.1, to be read and watched with kubectl, and nothing is
printed but one line that begins with "ready", with the URL and the kubeconfig.

Examples:
  What a recorded change gives:
    $ echo '{"type": "Added", "object": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop", "annotations": {"dcontroller.io/endpointslice-controller-enabled": ""}}, "spec": {"ports": [{"port": 80}]}}}' |
        sliceflow views --spec examples/views/endpoints.yaml --events -
  The endpoints of a cluster as they come and go:
    $ sliceflow views --spec examples/views/endpoints.yaml --kubeconfig ~/.kube/config
  The same as a table for people, a row an object that changed:
    $ sliceflow views --spec examples/views/endpoints.yaml --kubeconfig ~/.kube/config --output table
  Why an object is in a view (waits for the first lists, then ends):
    $ sliceflow views --spec examples/views/endpoint-lists.yaml --kubeconfig ~/.kube/config --explain shop/web-TCP-80
  The same for people (\`kubectl --kubeconfig views.kubeconfig get endpointviews --all-namespaces --watch\`):
    $ sliceflow views --spec examples/views/endpoints.yaml --kubeconfig ~/.kube/config --serve
  A picture of the spec:
    $ sliceflow views --spec examples/views/endpoints.yaml --graph mermaid`

/** The name of an API group begins with it. */
const OPERATOR_NAME = /^[a-z0-9]([a-z0-9.-]{0,100}[a-z0-9])?$/

export const GROUPS = {
  spec: {
    spec: flag('--spec <file>', 'file with the controllers that make the views', {
      isRequired: true,
    }),
  },
  source: {
    kubeconfig: flag('--kubeconfig <file>', 'follow the objects of this cluster'),
    context: flag('--context <name>', 'a context of the kubeconfig (default: the current one)', {
      conflicts: 'events',
    }),
    /** A file, or `-` for standard input. */
    events: flag('--events <file>', 'read changes from this file; - is standard input', {
      conflicts: 'kubeconfig',
    }),
  },
  printed: {
    /** `namespace/name` of a view object. */
    explain: flag(
      '--explain <namespace/name>',
      'print what this view object was made of, instead of the changes',
    ),
    graph: choice('--graph <format>', 'print a picture of the spec', ['mermaid', 'dot'], {
      conflicts: ['events', 'explain', 'kubeconfig'],
    }),
    output: choice(
      '-o, --output <format>',
      'how to print changes: a line of JSON each, YAML, or a table for people',
      ['json', 'yaml', 'table'],
      { default: 'json', conflicts: ['explain', 'graph', 'serve'] },
    ),
  },
  served: {
    serve: flag('--serve [port]', 'show the views as resources of a Kubernetes API; 0 or none picks a port', {
      parse: port,
      preset: 0,
      conflicts: ['events', 'explain', 'graph'],
    }),
    kubeconfigOut: flag(
      '--kubeconfig-out <file>',
      'where --serve writes the kubeconfig (default: views.kubeconfig)',
    ),
  },
  named: {
    operatorName: flag('--operator-name <name>', 'the operator’s name, where the spec has none', {
      parse: formed((text) => OPERATOR_NAME.test(text), 'It must be a DNS name, such as shop.'),
      default: 'op',
    }),
  },
}
export type ViewsFlags = ReturnType<typeof groupFlags<typeof GROUPS>>

export const viewsCommand = (): Command => createCommand({ help: HELP, groups: GROUPS })

import { Command, InvalidArgumentError, Option } from 'commander'
import type { Flags } from '../../options/flag-groups.ts'
import { parsePort } from '../../options/port.ts'
import { helpText } from '../../output/help-text.ts'

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
that of a change, if there is any. Targets that are not views are written to the cluster. SIGTERM and SIGINT end it.

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

/** Makes the `views` command: it prints the deltas of declarative views as NDJSON. */
export function viewsCommand(): Command {
  return new Command()
    .requiredOption('--spec <file>', 'file with the controllers that make the views')
    .option('--kubeconfig <file>', 'follow the objects of this cluster')
    .addOption(
      new Option('--context <name>', 'a context of the kubeconfig (default: the current one)').conflicts(
        'events',
      ),
    )
    .addOption(
      new Option('--events <file>', 'read changes from this file; - is standard input').conflicts(
        'kubeconfig',
      ),
    )
    .option('--explain <namespace/name>', 'print what this view object was made of, instead of the changes')
    .addOption(
      new Option('--graph <format>', 'print a picture of the spec')
        .choices(['mermaid', 'dot'])
        .conflicts(['events', 'explain', 'kubeconfig']),
    )
    .addOption(
      new Option('--serve [port]', 'show the views as resources of a Kubernetes API; 0 or none picks a port')
        .argParser(parsePort)
        .conflicts(['events', 'explain', 'graph']),
    )
    .addOption(
      new Option(
        '-o, --output <format>',
        'how to print changes: a line of JSON each, YAML, or a table for people',
      )
        .choices(['json', 'yaml', 'table'])
        .default('json')
        .conflicts(['explain', 'graph', 'serve']),
    )
    .option('--kubeconfig-out <file>', 'where --serve writes the kubeconfig (default: views.kubeconfig)')
    .addOption(
      new Option('--operator-name <name>', 'the operator’s name, where the spec has none')
        .argParser(parseOperatorName)
        .default('op'),
    )
    .addHelpText('after', helpText(HELP))
    .action(async (flags: Flags) => {
      // Loaded when it is needed: YAML and the API client would slow down every --help.
      const { runViews } = await import('./run.ts')
      await runViews(flags)
    })
}

/** Parses the operator's name, with which the name of an API group begins. */
function parseOperatorName(text: string): string {
  if (/^[a-z0-9]([a-z0-9.-]{0,100}[a-z0-9])?$/.test(text)) return text
  throw new InvalidArgumentError('It must be a DNS name, such as shop.')
}

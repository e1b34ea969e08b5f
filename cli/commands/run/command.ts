import { isIP } from 'node:net'
import type { Command } from 'commander'
import { CLUSTERS, queueUrl } from '../../options/common.ts'
import { createCommand } from '../../options/create-command.ts'
import { choice, flag, formed, port } from '../../options/flags.ts'
import { FLEET } from '../../options/fleet.ts'
import { FAIL_ON_FLAG } from '../preflight/command.ts'

const HELP = `
Prints one line that begins with "ready" on standard output once every cluster was listed or could not be reached for 30 s;
the line names the missing clusters. Everything else goes to standard error. A cluster that cannot be reached is retried until
it can be, and logged at growing intervals; the others do not wait for it.
On SIGTERM and SIGINT it finishes running work and exits within 10 s. The next start reconciles every Service again, or with
--state-dir only those that changed.

Examples:
  Services without a selector that carry the annotation sliceflow.dev/selector, in the current context's cluster:
    $ sliceflow run
  Two clusters:
    $ sliceflow run --kubeconfig fleet.yaml --context eu-1 --context us-1
  Only where reach, credentials and permissions are as they should be (as \`sliceflow preflight\` checks them):
    $ sliceflow run --preflight
  The same where something starts it again and again, such as systemd: a cluster that is down keeps no other from being served:
    $ sliceflow run --preflight --fail-on all --context eu-1 --context us-1
  In place of the in-tree controller (started with --controllers=*,-endpointslice-controller):
    $ sliceflow run --mode replace --managed-by endpointslice-controller.k8s.io
  Before that, beside the in-tree controller: would it publish the same? (writes nothing; infra/rbac/read-only.yaml is enough)
    $ sliceflow run --shadow --mode replace --metrics-port 9090
  One Service over both clusters, for each that is exported (the CRDs: sliceflow crds --fleet):
    $ sliceflow run --fleet --context eu-1 --context us-1
  With a recording, which shows later who removed an endpoint, when and why:
    $ sliceflow run --record slices.ndjson
  With a live console (its URL is printed to standard error):
    $ sliceflow run --console 8080
  With queues of a deployment, or any server that speaks SQS' protocol:
    $ sliceflow run --queue https://sqs.eu-west-1.amazonaws.com/123456789012/live`

export const GROUPS = {
  clusters: CLUSTERS,
  queues: {
    queue: flag('--queue <url>', 'embedded, or the URL of the live lane’s queue', {
      default: 'embedded',
      parse: (text) => (text === 'embedded' ? text : queueUrl(text)),
    }),
    sweepQueue: flag('--sweep-queue <url>', 'the URL of the sweep lane’s queue (default: the live lane’s)', {
      parse: queueUrl,
    }),
  },
  metrics: {
    metricsPort: flag(
      '--metrics-port <port>',
      'serve /metrics (Prometheus), /status (for sliceflow status --relay), /healthz and /readyz on this port; 0 picks one (default: none)',
      { parse: port },
    ),
    metricsAddress: flag(
      '--metrics-address <address>',
      'IP address on which --metrics-port listens; clients that can reach it read all of that without credentials (default: 127.0.0.1)',
      {
        parse: formed(
          (text) => isIP(text) !== 0,
          'It must be an IP address, such as 127.0.0.1, 0.0.0.0 or ::.',
        ),
      },
    ),
  },
  shown: {
    console: flag(
      '--console <port>',
      'serve a live console on this port of 127.0.0.1; only the URL that is printed opens it; 0 picks a port. SLICEFLOW_CONSOLE_TOKEN in the environment keeps the URL across restarts (default: none)',
      { parse: port },
    ),
    preflight: flag(
      '--preflight',
      'check the clusters first, as the command preflight does, and start nothing where a check fails',
    ),
    failOn: FAIL_ON_FLAG,
    record: flag(
      '--record <file>',
      'append each write of a slice and its cause to this file, for sliceflow history and simulate; all Services are recorded unless --recording says otherwise',
    ),
    logFormat: choice('--log-format <format>', 'how to log', ['text', 'json'], { default: 'text' }),
  },
  fleet: FLEET,
}

export const runCommand = (): Command => createCommand({ help: HELP, groups: GROUPS, settings: 'all' })

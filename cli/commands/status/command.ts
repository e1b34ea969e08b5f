import type { Command } from 'commander'
import { CLUSTERS, NAMESPACES, OUTPUT, queueUrl, stackFlag } from '../../options/common.ts'
import { createCommand } from '../../options/create-command.ts'
import { flag, whole } from '../../options/flags.ts'
import { PLAN_SETTINGS } from '../../options/settings.ts'

const HELP = `
Reads the clusters, and asks a run or relay and the queues if they are named. Nothing is written, but dead letters are hidden
from other readers while they are counted. With --relay the settings are those of that run; else
they must be those of \`run\` or of the deployment.

Exit code 1 when something is wrong: a cluster, relay or queue that cannot be read, Services that are out of date in both of two checks 3 s
apart, slices of ours whose Service is gone or that other settings left behind, Services that the in-tree controller manages as well, invalid annotations,
held plans, slices that another client edits after every repair, or that another controller writes as well, dead letters. -o json prints {version: 1, healthy, problems: [text], clusters, relay, queues}.

Examples:
  The current context's cluster, and a sample of its Services:
    $ sliceflow status
  Two clusters, every Service, and the run beside them (sliceflow run --metrics-port 9090):
    $ sliceflow status --context eu-1 --context us-1 --check --relay http://127.0.0.1:9090
  What waits in the queues of a deployment, by its stack:
    $ sliceflow status --stack Sliceflow
  … by the URLs of its queues; dead letters are found by the lanes' redrive policies:
    $ sliceflow status --queue https://sqs.eu-west-1.amazonaws.com/123456789012/live
  Before Sliceflow takes over: would it publish what the in-tree controller publishes?
    $ sliceflow status --check --shadow --mode replace`

export const GROUPS = {
  clusters: CLUSTERS,
  scope: {
    check: flag('--check', 'plan every Service instead of a sample'),
    sample: flag('--sample <n>', 'number of Services to plan in each cluster', {
      parse: whole(0),
      default: 20,
    }),
  },
  deployment: {
    relay: flag(
      '--relay <url>',
      'a run, by the URL of its --metrics-port or by its --state-dir; both name its queues',
    ),
    stack: stackFlag,
  },
  queues: {
    queue: flag('--queue <url>', 'URL of the live lane’s queue', { parse: queueUrl }),
    sweepQueue: flag('--sweep-queue <url>', 'URL of the sweep lane’s queue', { parse: queueUrl }),
    deadLetterQueue: flag(
      '--dead-letter-queue <url>',
      'URL of a dead-letter queue (default: those of the lanes that are given)',
      { parse: queueUrl },
    ),
  },
  printed: { ...OUTPUT, ...NAMESPACES },
}

export const statusCommand = (): Command =>
  createCommand({ help: HELP, groups: GROUPS, settings: [...PLAN_SETTINGS, 'shadow'] })

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runSliceflow } from '../../cli/program.fixtures.ts'
import { sharedFolder } from '../support/temporary-folder.ts'

const folder = sharedFolder()
const KUBECONFIG = join(folder, 'kubeconfig')
writeFileSync(
  KUBECONFIG,
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'eu-1',
    clusters: [
      { name: 'eu-1', cluster: { server: 'https://127.0.0.1:1' } },
      { name: 'plain', cluster: { server: 'http://127.0.0.1:1' } },
    ],
    users: [{ name: 'me', user: {} }],
    contexts: [
      { name: 'eu-1', context: { cluster: 'eu-1', user: 'me' } },
      { name: 'plain', context: { cluster: 'plain', user: 'me' } },
    ],
  }),
)

/** Runs a command. Returns its whole message to a person at a terminal, and the exit code. */
async function reported(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number; text: string }> {
  vi.stubEnv('KUBECONFIG', KUBECONFIG)
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { code, stderr } = await runSliceflow(...args)
  return { code, text: stderr.replaceAll(folder, 'FOLDER') }
}

interface CommandLine {
  readonly args: string
  readonly env?: Readonly<Record<string, string>>
  /** Default 2, wrong use. */
  readonly code?: number
  readonly text: string
}

/** Command lines in the order of the README's table of commands; `run` comes first as it has all settings. */
const COMMAND_LINES: readonly CommandLine[] = [
  { args: 'rnu', text: "error: unknown command 'rnu'\n(Did you mean run?)\n(see --help)" },
  { args: '--nothing', text: "error: unknown option '--nothing'\n(see --help)" },
  {
    args: 'run --mode replce',
    text: 'sliceflow: --mode: "replce" is not one of custom, replace; did you mean replace?',
  },
  {
    args: 'run --recording 2 --shadow perhaps',
    text: 'sliceflow: --shadow: "perhaps" is neither true nor false; --recording: "2" is neither off nor on nor a number from 0 to 1; the nearest is 1',
  },
  {
    args: 'run --batch-windows 3',
    text: "error: unknown option '--batch-windows'\n(Did you mean --batch-window?)\n(see --help)",
  },
  {
    args: 'run --managed-by endpointslice-controller.k8s.io',
    text: 'sliceflow: --managed-by: endpointslice-controller.k8s.io is the in-tree controller’s, and in mode custom the slices of every Service with a selector stay its own: set mode to replace to take them over (with that controller off), or leave managedBy out',
  },
  {
    args: 'run --relay-standby --shadow',
    text: 'sliceflow: --relay-standby: a shadow compares slices that are not as Sliceflow writes them: a standby cannot tell which are wrong',
  },
  {
    args: 'run --queue live',
    text: "error: option '--queue <url>' argument 'live' is invalid. It must be a URL such as https://sqs.eu-west-1.amazonaws.com/123456789012/live.\n(see --help)",
  },
  {
    args: 'run --sweep-queue http://127.0.0.1/sweep',
    text: 'sliceflow: --sweep-queue needs --queue: the embedded queue has a sweep lane of its own',
  },
  {
    args: 'run --state-dir FOLDER',
    text: 'sliceflow: --state-dir: the embedded queue loses its messages when the process ends; name a --queue, or leave --state-dir out',
  },
  {
    args: 'run --metrics-port 70000',
    text: "error: option '--metrics-port <port>' argument '70000' is invalid. It must be a whole number, 0 to 65535.\n(see --help)",
  },
  { args: 'run --recording on', text: 'sliceflow: --recording: name the file to record to with --record' },
  {
    args: 'run --context plain',
    code: 1,
    text: 'sliceflow: kubeconfig FOLDER/kubeconfig: http://127.0.0.1:1 is not https; credentials are sent over TLS only',
  },
  {
    args: 'run',
    env: { SLICEFLOW_SHADOWS: 'true' },
    text: 'sliceflow: SLICEFLOW_SHADOWS: is not the variable of a setting; did you mean SLICEFLOW_SHADOW?',
  },
  {
    args: 'run --batch-window 400',
    env: { SLICEFLOW_BATCH_SIZE: '0' },
    text: 'sliceflow: --batch-window: "400" is not a whole number of seconds from 0 to 300; the nearest is 300; SLICEFLOW_BATCH_SIZE: "0" is not a whole number of messages from 1 to 10000; the nearest is 1',
  },
  {
    args: 'explain shop/web',
    env: { SLICEFLOW_MANAGED_BY: 'a b' },
    text: 'sliceflow: SLICEFLOW_MANAGED_BY: "a b" is not a label value: at most 63 letters, digits, "-", "_" or ".", the first and the last a letter or a digit',
  },
  {
    args: 'explain a/b/c',
    text: 'sliceflow: "a/b/c" is not the name of a Service: give NAME or NAMESPACE/NAME, such as shop/web',
  },
  {
    args: 'status --sample -1',
    text: "error: option '--sample <n>' argument '-1' is invalid. It must be a whole number, 0 or more.\n(see --help)",
  },
  {
    args: 'status --stack my_stack',
    text: 'sliceflow: --stack: "my_stack" is neither the name or the ARN of a stack nor a .json file of `cdk deploy --outputs-file`',
  },
  {
    args: 'dead-letters list',
    text: 'sliceflow: name the queues: --relay with the URL of a run, --stack with the name of a deployment’s stack, or --queue with the URL of each lane',
  },
  {
    args: 'dead-letters list --queue http://127.0.0.1:1/q --class forbiden',
    text: 'sliceflow: --class: "forbiden" is not one of Forbidden, Unauthorized, Invalid, NotServed, UnknownCluster, Unreachable, Timeout, Throttled, ServerError, Conflict, MalformedMessage, Unexpected, Unfinished; did you mean Forbidden?',
  },
  {
    args: 'dead-letters drop --queue http://127.0.0.1:1/q',
    text: 'sliceflow: drop: select dead letters with --cluster, --namespace or --class, or all of them with --all',
  },
  {
    args: 'history eu-1 web --from FOLDER/missing',
    text: 'sliceflow: "web" names no namespace: give NAMESPACE/NAME, such as shop/web, or -n',
  },
  {
    args: 'simulate --policy tight',
    text: "error: option '--policy <names>' argument 'tight' is invalid. Each must be one of endpoints, single, in-tree, compact, noisy.\n(see --help)",
  },
  {
    args: 'cost --clusters 3 --pods 9 --changes-per-second 1 --relay-cpu 300',
    text: 'sliceflow: --relay-cpu: Fargate has no task of 300 CPU units; give 256, 512, 1024, 2048 or 4096',
  },
  { args: 'explain --fleet', text: 'sliceflow: name a Service: NAME or NAMESPACE/NAME, such as shop/web' },
  {
    args: 'plan shop/web',
    text: 'sliceflow: shop/web is about a cluster set: give --fleet as well; without it cases are read from stdin',
  },
  {
    args: 'cost --clusters 1 --pods 1 --changes-per-second 1 --fleet-services 5',
    text: 'sliceflow: --fleet-services: say with --fleet-clusters how many clusters import the Services',
  },
  {
    args: 'rbac --fleet --operator',
    text: "error: option '--fleet [role]' cannot be used with option '--operator'\n(see --help)",
  },
]

it.each(COMMAND_LINES)(
  'says of "sliceflow $args" with $env what is wrong, where, and what to do',
  async (line) => {
    const { args, env = {}, code = 2, text } = line
    const given = args.replaceAll('FOLDER', folder).split(' ')
    expect(await reported(given, env)).toEqual({ code, text: `${text}\n` })
  },
)

import { labelName } from '../../shared/kubernetes/index.ts'
import { UsageError } from '../usage.ts'
import { choice, type FlagValues, flag, formed, repeated } from './flags.ts'
import { kubeconfigFlag } from './kubeconfig.ts'

/*
 * In all commands --context is a context of the kubeconfig, which is how a cluster is reached, and --cluster
 * the name that a cluster has in messages, dead letters and recordings. `run` calls a cluster as its context.
 */

/** Of commands about several clusters. */
export const CLUSTERS = {
  context: repeated('--context <name>', 'a context of the kubeconfig, a cluster each; may be repeated', {
    defaultText: 'the current context',
  }),
  kubeconfig: kubeconfigFlag,
}
export type ClustersFlags = FlagValues<typeof CLUSTERS>

/** Of commands about one cluster. */
export const CLUSTER = {
  context: flag('--context <name>', 'a context of the kubeconfig (default: the current context)'),
  kubeconfig: kubeconfigFlag,
}

const NAMESPACE_FLAGS = '-n, --namespace <name>'

/** Of commands about one Service, as kubectl has it. */
export const NAMESPACE = {
  namespace: flag(NAMESPACE_FLAGS, 'namespace of the Service, where the argument is NAME alone', {
    parse: parseNamespace,
  }),
}

/** Of commands about all Services, or those of one namespace, as kubectl has them. */
export const NAMESPACES = {
  namespace: flag(NAMESPACE_FLAGS, 'only this namespace', {
    parse: parseNamespace,
    conflicts: 'allNamespaces',
  }),
  allNamespaces: flag('-A, --all-namespaces', 'all namespaces, which is the default'),
}

/** @throws UsageError */
function parseNamespace(text: string): string {
  if (labelName(text).length === 0) return text
  throw new UsageError(`--namespace: "${text}" is not the name of a namespace, such as shop`)
}

/** Formats that programs read. */
export type DocumentFormat = 'json' | 'yaml'
export type OutputFormat = 'text' | DocumentFormat

export const outputFlag = (description = 'how to print it') =>
  choice('-o, --output <format>', description, ['text', 'json', 'yaml'], { default: 'text' })

/** Of commands that print a report. */
export const OUTPUT = { output: outputFlag() }

/** `--stack`, wherever it stands for the URLs of queues. */
export const stackFlag = flag(
  '--stack <name>',
  'a deployment on AWS, whose outputs name its queues: the name or ARN of its stack, or the .json file that `cdk deploy --outputs-file` wrote',
)

/** Parses the URL of a queue. */
export const queueUrl = formed(
  (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
  'It must be a URL such as https://sqs.eu-west-1.amazonaws.com/123456789012/live.',
)

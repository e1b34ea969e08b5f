import { Option } from 'commander'

/*
 * In all commands --context is a context of the kubeconfig, which is how a cluster is reached, and --cluster the name that a cluster
 * has in messages, dead letters and recordings. `run` calls a cluster as its context.
 */

/** The flag of commands about one cluster. */
export const contextOption = (): Option =>
  new Option('--context <name>', 'a context of the kubeconfig (default: the current context)')

/** The flag of commands about several clusters. */
export const contextsOption = (): Option =>
  new Option('--context <name>', 'a context of the kubeconfig, a cluster each; may be repeated')
    .argParser((name: string, names: string[]) => [...names, name])
    .default([], 'the current context')

import { type Command, Option } from 'commander'

/*
 * In all commands --context is a context of the kubeconfig, which is how a cluster is reached, and --cluster
 * the name that a cluster has in messages, dead letters and recordings. `run` calls a cluster as its context.
 */

/**
 * Adds the flag of commands about one cluster. Until 0.1 some called it --cluster, which goes on to be
 * understood.
 * @param isRequired whether there is no default; default false
 */
export function addContext(command: Command, isRequired = false): Command {
  const text = isRequired ? '' : ' (default: the current context)'
  return command
    .addOption(
      new Option('--context <name>', `a context of the kubeconfig${text}`).makeOptionMandatory(isRequired),
    )
    .addOption(new Option('--cluster <name>').hideHelp())
    .on('option:cluster', (name: string) => command.setOptionValueWithSource('context', name, 'cli'))
}

/** Makes the flag of commands about several clusters. */
export const contextsOption = (): Option =>
  new Option('--context <name>', 'a context of the kubeconfig, a cluster each; may be repeated')
    .argParser((name: string, names: string[]) => [...names, name])
    .default([], 'the current context')

/** Adds the flag of commands about one cluster, or several of them where they make a set. */
export const addContexts = (command: Command): Command =>
  command
    .addOption(contextsOption())
    .addOption(new Option('--cluster <name>').hideHelp())
    .on('option:cluster', (name: string) => command.setOptionValueWithSource('context', [name], 'cli'))

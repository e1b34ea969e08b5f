import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Command, Option } from 'commander'

/** Adds the flag that says where the clusters are. */
export function addKubeconfig(command: Command): Command {
  return command.addOption(
    new Option('--kubeconfig <file>', 'where the clusters are')
      .env('KUBECONFIG')
      .default(join(homedir(), '.kube', 'config'), '~/.kube/config'),
  )
}

import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Command } from 'commander'

const HELP = `
The rules are all that the relay and the functions need, and nothing more; the binding is for the group that the access
entries of a deployment name, and for the user "sliceflow".

Example:
  $ sliceflow rbac | kubectl apply -f -`

/** The `rbac` command: what a cluster's owner applies so that Sliceflow may work there. */
export function rbacCommand(): Command {
  return new Command('rbac')
    .description('print the ClusterRole that Sliceflow needs in each cluster, and its binding: YAML')
    .addHelpText('after', HELP)
    .action(async () => {
      process.stdout.write(await readFile(await findRoles(), 'utf8'))
    })
}

/** The file is in the same place in a checkout and in the package, which this one is not: it is built into dist/. */
async function findRoles(): Promise<string> {
  const path = join('infra', 'rbac', 'cluster-role.yaml')
  let folder = import.meta.dirname
  while (true) {
    const manifest = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}')
    if (JSON.parse(manifest).name === 'sliceflow') return join(folder, path)
    const parent = dirname(folder)
    if (parent === folder)
      throw new Error(`${path} is missing in the installation; install the package again`)
    folder = parent
  }
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { findInstallation } from '../../package.ts'

const HELP = `
The rules are all that relay and functions need, and nothing more; the bindings are for the groups that the access
entries of a deployment name, and for the user "sliceflow".

Examples:
  $ sliceflow rbac | kubectl apply -f -               relay and functions
  $ sliceflow rbac --read-only | kubectl apply -f -   comparing only (--shadow), explain and status
  $ sliceflow rbac --operator | kubectl apply -f -    people who use release and offboard: the group "sliceflow-operators"`

interface RbacOptions {
  readonly readOnly?: true
  readonly operator?: true
}

/** The `rbac` command: what a cluster's owner applies so that Sliceflow may work there. */
export function rbacCommand(): Command {
  return new Command('rbac')
    .description('print the ClusterRoles that Sliceflow needs in each cluster, and their bindings: YAML')
    .addOption(
      new Option('--read-only', 'of a deployment that compares only, and of explain and status').conflicts(
        'operator',
      ),
    )
    .option('--operator', 'what release and offboard need beside --read-only')
    .addHelpText('after', HELP)
    .action(async (options: RbacOptions) => {
      // Checkout and package have it in the same place.
      const file = join(findInstallation().folder, 'infra', 'rbac', fileOf(options))
      process.stdout.write(await readFile(file, 'utf8'))
    })
}

function fileOf({ readOnly, operator }: RbacOptions): string {
  if (readOnly === true) return 'read-only.yaml'
  return operator === true ? 'operator.yaml' : 'cluster-role.yaml'
}

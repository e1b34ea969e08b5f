import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { type Document, isSeq, parseAllDocuments } from 'yaml'
import { labelName, subdomainName } from '../../../../shared/kubernetes/index.ts'
import { helpText } from '../../help-text.ts'
import { findInstallation } from '../../package.ts'
import { UsageError } from '../../usage.ts'

const HELP = `
The rules are exactly what relay and functions need; the bindings are for the groups that the access entries of a
deployment name, and for the user "sliceflow". --serviceaccount adds a ServiceAccount beside that user.

Examples:
  Relay and functions:
    $ sliceflow rbac | kubectl apply -f -
  The same, bound to the ServiceAccount "sliceflow" of the namespace "sliceflow":
    $ sliceflow rbac --serviceaccount sliceflow:sliceflow | kubectl apply -f -
  Comparing only (--shadow), explain and status:
    $ sliceflow rbac --read-only | kubectl apply -f -
  The canary of a deployment, its Service and the group "sliceflow-canary":
    $ sliceflow rbac --canary | kubectl apply -f -
  People who use release and offboard, the group "sliceflow-operators":
    $ sliceflow rbac --operator | kubectl apply -f -

Beside them, for Services over several clusters (run --fleet):
  A cluster that exports and imports:
    $ sliceflow rbac --fleet | kubectl apply -f -
  One that only exports; no Service and no slice is written there:
    $ sliceflow rbac --fleet export | kubectl apply -f -
  Comparing only:
    $ sliceflow rbac --fleet --read-only | kubectl apply -f -

Beside them, for Endpoints that are mirrored (run --mirror-endpoints):
  Relay and functions:
    $ sliceflow rbac --mirroring | kubectl apply -f -
  Comparing only, and explain:
    $ sliceflow rbac --mirroring --read-only | kubectl apply -f -`

const FLEET_ROLES = ['both', 'export', 'import'] as const
type FleetRole = (typeof FLEET_ROLES)[number]

/** A subject of a binding. */
interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

interface RbacOptions {
  readonly readOnly?: true
  readonly operator?: true
  readonly fleet?: FleetRole
  readonly mirroring?: true
  readonly canary?: true
  readonly serviceaccount?: Subject
}

/** Makes the `rbac` command: it prints what a cluster's owner applies so that Sliceflow may work there. */
export function rbacCommand(): Command {
  return new Command('rbac')
    .description('print the ClusterRoles that Sliceflow needs in each cluster, and their bindings: YAML')
    .addOption(
      new Option(
        '--read-only',
        'role for a deployment that only compares, and for explain and status',
      ).conflicts('operator'),
    )
    .option('--operator', 'role for release and offboard, beside --read-only')
    .addOption(
      new Option('--fleet [role]', 'role for Services over several clusters, beside the others')
        .choices(FLEET_ROLES)
        .preset('both')
        .conflicts('operator'),
    )
    .addOption(
      new Option('--mirroring', 'role for Endpoints that are mirrored, beside the others').conflicts([
        'operator',
        'fleet',
      ]),
    )
    .addOption(
      new Option('--canary', 'the canary of a deployment: its Service, and who may change it').conflicts([
        'readOnly',
        'operator',
        'fleet',
        'mirroring',
      ]),
    )
    .addOption(
      new Option(
        '--serviceaccount <namespace:name>',
        'ServiceAccount that the bindings include, as in kubectl create clusterrolebinding',
      )
        .argParser(parseServiceAccount)
        .conflicts(['operator', 'canary']),
    )
    .addHelpText('after', helpText(HELP))
    .action(async (options: RbacOptions) => {
      // Checkout and package have it in the same place.
      const folder = join(findInstallation().folder, 'infra', 'rbac')
      const texts = await Promise.all(filesOf(options).map((file) => readFile(join(folder, file), 'utf8')))
      const text = texts.join('---\n')
      process.stdout.write(options.serviceaccount ? withSubject(text, options.serviceaccount) : text)
    })
}

/** Reads NAMESPACE:NAME. @throws UsageError */
function parseServiceAccount(text: string): Subject {
  const [namespace = '', name = '', ...more] = text.split(':')
  if (more.length > 0 || labelName(namespace).length > 0 || subdomainName(name).length > 0)
    throw new UsageError(
      `"${text}" is not a ServiceAccount: give NAMESPACE:NAME, such as sliceflow:sliceflow`,
    )
  return { kind: 'ServiceAccount', name, namespace }
}

/** Adds a subject to each binding that has the user who does everything. Keeps the comments. */
function withSubject(text: string, subject: Subject): string {
  const documents = parseAllDocuments<never>(text) as Document[]
  for (const document of documents) {
    const subjects = document.get('subjects')
    if (isSeq(subjects) && (subjects.toJSON() as Subject[]).some(({ kind }) => kind === 'User'))
      subjects.add(document.createNode(subject))
  }
  return documents
    .map((document) => document.toString({ lineWidth: 0, flowCollectionPadding: false }))
    .join('')
}

function filesOf({ readOnly, operator, fleet, mirroring, canary }: RbacOptions): string[] {
  if (canary === true) return ['canary.yaml']
  if (mirroring === true) return [readOnly === true ? 'mirroring-read-only.yaml' : 'mirroring.yaml']
  if (fleet !== undefined) return readOnly === true ? ['fleet-read-only.yaml'] : fleetFilesOf(fleet)
  if (readOnly === true) return ['read-only.yaml']
  return [operator === true ? 'operator.yaml' : 'cluster-role.yaml']
}

const fleetFilesOf = (role: FleetRole): string[] =>
  role === 'both' ? ['fleet-export.yaml', 'fleet-import.yaml'] : [`fleet-${role}.yaml`]

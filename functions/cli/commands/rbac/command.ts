import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { type Document, isSeq, parseAllDocuments } from 'yaml'
import * as z from 'zod/mini'
import { labelName, subdomainName } from '../../../../shared/kubernetes/index.ts'
import { FLEET_ROLES, type RoleOptions, roleFilesOf } from '../../../preflight/roles.ts'
import { type Flags, groupFlags } from '../../options/flag-groups.ts'
import { helpText } from '../../output/help-text.ts'
import { findInstallation } from '../../package.ts'
import { UsageError } from '../../usage.ts'

const HELP = `
The rules are exactly what relay and functions need; the bindings are for the groups that the access entries of a
deployment name, and for the user "sliceflow". --serviceaccount adds a ServiceAccount beside that user, --user another user.

Examples:
  Relay and functions:
    $ sliceflow rbac | kubectl apply -f -
  The same, bound to the ServiceAccount "sliceflow" of the namespace "sliceflow":
    $ sliceflow rbac --serviceaccount sliceflow:sliceflow | kubectl apply -f -
  The same, bound to the user of a kubeconfig:
    $ sliceflow rbac --user alice@example.com | kubectl apply -f -
  Comparing only (--shadow), explain and status:
    $ sliceflow rbac --read-only | kubectl apply -f -
  The canary of a deployment, its Service and the group "sliceflow-canary":
    $ sliceflow rbac --canary | kubectl apply -f -
  People who use release and offboard, the group "sliceflow-operators":
    $ sliceflow rbac --operator | kubectl apply -f -
  No roles, but policies that refuse malformed annotations of Sliceflow (sliceflow.dev/…) at kubectl apply:
    $ sliceflow rbac --admission | kubectl apply -f -

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

/** A subject of a binding. */
interface Subject {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

const GROUPS = {
  roles: z.object({
    readOnly: z.optional(z.boolean()),
    operator: z.optional(z.boolean()),
    fleet: z.optional(z.enum(FLEET_ROLES)),
    mirroring: z.optional(z.boolean()),
    canary: z.optional(z.boolean()),
    preflight: z.optional(z.boolean()),
    admission: z.optional(z.boolean()),
  }) satisfies z.ZodMiniType<RoleOptions>,
  bound: z.object({
    serviceaccount: z.optional(z.custom<Subject>()),
    user: z.optional(z.string()),
  }),
}

/** Makes the `rbac` command: it prints what a cluster's owner applies so that Sliceflow may work there. */
export function rbacCommand(): Command {
  return new Command()
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
        '--preflight',
        'role for what preflight reads beside all that, which run never needs',
      ).conflicts(['readOnly', 'operator', 'fleet', 'mirroring', 'canary']),
    )
    .addOption(
      new Option(
        '--admission',
        'instead of roles, policies that refuse malformed annotations of Sliceflow at kubectl apply',
      ).conflicts(['readOnly', 'operator', 'fleet', 'mirroring', 'canary', 'preflight', 'user']),
    )
    .addOption(
      new Option(
        '--serviceaccount <namespace:name>',
        'ServiceAccount that the bindings include, as in kubectl create clusterrolebinding',
      )
        .argParser(parseServiceAccount)
        .conflicts(['operator', 'canary', 'admission']),
    )
    .addOption(
      new Option(
        '--user <name>',
        'user that the bindings include, as the API server calls him (kubectl auth whoami)',
      ).conflicts('serviceaccount'),
    )
    .addHelpText('after', helpText(HELP))
    .action(async (flags: Flags) => {
      const { roles, bound } = groupFlags(flags, GROUPS)
      // Checkout and package have it in the same place.
      const folder = join(findInstallation().folder, 'infra', 'rbac')
      const texts = await Promise.all(roleFilesOf(roles).map((file) => readFile(join(folder, file), 'utf8')))
      const subject = bound.serviceaccount ?? userOf(bound.user)
      const text = texts.join('---\n')
      process.stdout.write(subject === undefined ? text : withSubject(text, subject))
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

const userOf = (user: string | undefined): Subject | undefined =>
  user === undefined ? undefined : { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }

/**
 * Adds a subject to each binding that has the user who does everything, or is for people. Keeps the comments.
 */
function withSubject(text: string, subject: Subject): string {
  const documents = parseAllDocuments<never>(text) as Document[]
  for (const document of documents) {
    const subjects = document.get('subjects')
    if (isSeq(subjects) && (subjects.toJSON() as Subject[]).some(isOfAll))
      subjects.add(document.createNode(subject))
  }
  return documents
    .map((document) => document.toString({ lineWidth: 0, flowCollectionPadding: false }))
    .join('')
}

const isOfAll = ({ kind, name }: Subject): boolean => kind === 'User' || name === 'sliceflow-operators'

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Document, isSeq, parseAllDocuments } from 'yaml'
import { labelName, subdomainName } from '../../../shared/kubernetes/index.ts'
import { createCommand } from '../../options/create-command.ts'
import { choice, type Flags, flag, groupFlags } from '../../options/flags.ts'
import { findInstallation } from '../../package.ts'
import { FLEET_ROLES, roleFilesOf, SELECTOR_ROLES } from '../../preflight/roles.ts'
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
    $ sliceflow rbac --mirroring --read-only | kubectl apply -f -

Beside them, for EndpointSelectors (run --endpoint-selectors true):
  Relay and functions:
    $ sliceflow rbac --endpoint-selectors | kubectl apply -f -
  The same with those that stand for Services (run --service-projection true):
    $ sliceflow rbac --endpoint-selectors projection | kubectl apply -f -`

interface Subject {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

/** Flags that choose roles. */
const ROLES = ['readOnly', 'operator', 'fleet', 'mirroring', 'endpointSelectors', 'canary', 'preflight']

const GROUPS = {
  roles: {
    readOnly: flag('--read-only', 'role for a deployment that only compares, and for explain and status', {
      conflicts: 'operator',
    }),
    operator: flag('--operator', 'role for release and offboard, beside --read-only'),
    fleet: choice(
      '--fleet [role]',
      'role for Services over several clusters, beside the others',
      FLEET_ROLES,
      { preset: 'both', conflicts: 'operator' },
    ),
    mirroring: flag('--mirroring', 'role for Endpoints that are mirrored, beside the others', {
      conflicts: ['operator', 'fleet'],
    }),
    endpointSelectors: choice(
      '--endpoint-selectors [work]',
      'role for slices of EndpointSelectors, or also for those that stand for Services, beside the others',
      SELECTOR_ROLES,
      { preset: 'slices', conflicts: ['operator', 'fleet', 'mirroring'] },
    ),
    canary: flag('--canary', 'the canary of a deployment: its Service, and who may change it', {
      conflicts: ['readOnly', 'operator', 'fleet', 'mirroring', 'endpointSelectors'],
    }),
    preflight: flag('--preflight', 'role for what preflight reads beside all that, which run never needs', {
      conflicts: ['readOnly', 'operator', 'fleet', 'mirroring', 'endpointSelectors', 'canary'],
    }),
    admission: flag(
      '--admission',
      'instead of roles, policies that refuse malformed annotations of Sliceflow at kubectl apply',
      { conflicts: [...ROLES, 'user'] },
    ),
  },
  bound: {
    serviceaccount: flag(
      '--serviceaccount <namespace:name>',
      'ServiceAccount that the bindings include, as in kubectl create clusterrolebinding',
      { parse: parseServiceAccount, conflicts: ['operator', 'canary', 'admission'] },
    ),
    user: flag(
      '--user <name>',
      'user that the bindings include, as the API server names it (kubectl auth whoami)',
      { parse: userOf, conflicts: 'serviceaccount' },
    ),
  },
}

/** Makes the `rbac` command: it prints what a cluster's owner applies so that Sliceflow may work there. */
export const rbacCommand = (): Command =>
  createCommand({ help: HELP, groups: GROUPS }).action(async (flags: Flags) => {
    const { roles, bound } = groupFlags(flags, GROUPS)
    // Checkout and package have it in the same place.
    const folder = join(findInstallation().folder, 'infra', 'rbac')
    const texts = await Promise.all(roleFilesOf(roles).map((file) => readFile(join(folder, file), 'utf8')))
    const subject = bound.serviceaccount ?? bound.user
    // What is printed before it in one stream must not run into the first document.
    const text = texts.map((file) => `---\n${file}`).join('')
    process.stdout.write(subject === undefined ? text : withSubject(text, subject))
  })

/** Reads NAMESPACE:NAME. @throws UsageError */
function parseServiceAccount(text: string): Subject {
  const [namespace = '', name = '', ...more] = text.split(':')
  if (more.length > 0 || labelName(namespace).length > 0 || subdomainName(name).length > 0)
    throw new UsageError(
      `"${text}" is not a ServiceAccount: give NAMESPACE:NAME, such as sliceflow:sliceflow`,
    )
  return { kind: 'ServiceAccount', name, namespace }
}

function userOf(name: string): Subject {
  return { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }
}

/** Adds a subject to each binding of the user who does everything, or for people. Keeps the comments. */
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

import { type Command, InvalidArgumentError } from 'commander'
import { createCommand } from '../../options/create-command.ts'
import { choice, flag, formed, type groupFlags, port, whole } from '../../options/flags.ts'

const DEFAULT_KUBECONFIG = 'control-plane.kubeconfig'
const HELP = `
Serves a Kubernetes API, and prints one line that begins with "ready" on standard output, with the URL and
the kubeconfig of an administrator. SIGTERM and SIGINT end it.

Examples:
  Everything that Services need, in memory:
    $ sliceflow control-plane
    $ kubectl --kubeconfig control-plane.kubeconfig get namespaces
  On a port of your own, with objects that outlive it:
    $ sliceflow control-plane --port 6443 --data ./state --kubeconfig-out admin.kubeconfig
  Two at once, as contexts of one kubectl:
    $ sliceflow control-plane --name eu-1 --kubeconfig-out eu-1.kubeconfig
    $ sliceflow control-plane --name us-1 --kubeconfig-out us-1.kubeconfig
    $ KUBECONFIG=eu-1.kubeconfig:us-1.kubeconfig kubectl --context us-1 get namespaces
  Only what every control plane has (no Services, Pods, Nodes, EndpointSlices):
    $ sliceflow control-plane --resources generic
  For other machines, with users of their own and a record of what they do:
    $ sliceflow control-plane --bind-address 10.0.0.5 --token-auth-file tokens.csv --audit-log audit.ndjson
  The controllers in a process of their own, for this server or for a kube-apiserver without kube-controller-manager:
    $ sliceflow control-plane --only apiserver --data ./state
    $ sliceflow control-plane --only controllers --kubeconfig control-plane.kubeconfig \\
        --service-account-private-key-file ./state/sa.key

Requests are allowed by RBAC: users of --token-auth-file and of the others may do nothing until a role is bound to
them. The kubeconfig is that of system:masters, who may do everything; its file is for its owner alone.

--only controllers runs only the controllers. With --leader-elect several processes may stand by: the one that holds
kube-controller-manager's lease in kube-system works, and it exits if it loses the lease. The process prints "ready"
when its caches have synced. The user of the kubeconfig needs the rights of upstream's controllers, which
system:masters has. Without a private key no tokens are put into secrets.`

/** Kubeconfigs are written without quotes. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/
const name = {
  parse: formed((text) => NAME.test(text), 'It must be of letters, digits, ".", "_" and "-", such as eu-1.'),
}
const count = { parse: whole(1, 1_000_000) }
const duration = { parse: parseSeconds }

export const GROUPS = {
  served: {
    port: flag('--port <number>', 'port to serve on; 0 picks a free one', { parse: port, default: 0 }),
    bindAddress: flag('--bind-address <address>', 'address to serve on', { default: '127.0.0.1' as string }),
    kubeconfigOut: flag('--kubeconfig-out <file>', 'where to write the kubeconfig', {
      default: DEFAULT_KUBECONFIG as string,
    }),
    name: flag(
      '--name <name>',
      'name of the cluster and its context in the kubeconfig (default: sliceflow)',
      name,
    ),
    data: flag('--data <folder>', 'keep objects in this folder (default: in memory only)'),
    resources: choice('--resources <set>', 'what to serve', ['generic', 'services'], {
      default: 'services',
    }),
    only: choice('--only <part>', 'the server without controllers, or these, over the API', [
      'apiserver',
      'controllers',
    ]),
  },
  users: {
    tokenAuthFile: flag(
      '--token-auth-file <file>',
      'users by token, a line each: token,user,uid,"group1,group2"',
    ),
    clientCaFile: flag(
      '--client-ca-file <file>',
      'trust client certificates of this authority, beside its own',
    ),
    anonymousAuth: flag('--anonymous-auth', 'accept requests without credentials, as system:anonymous'),
  },
  oidc: {
    oidcIssuerUrl: flag('--oidc-issuer-url <url>', 'trust the tokens of this issuer; needs the next two'),
    oidcClientId: flag('--oidc-client-id <audience>', 'audience that its tokens must have'),
    oidcKeySet: flag('--oidc-key-set <file|url>', 'its public keys, a JWK set'),
    oidcUsernameClaim: flag('--oidc-username-claim <claim>', 'claim with the user’s name', {
      default: 'sub' as string,
    }),
    oidcGroupsClaim: flag('--oidc-groups-claim <claim>', 'claim with the user’s groups'),
  },
  proxies: {
    requestheaderClientCaFile: flag(
      '--requestheader-client-ca-file <file>',
      'trust X-Remote-User of front proxies that this authority certifies',
    ),
    requestheaderAllowedNames: flag(
      '--requestheader-allowed-names <names>',
      'common names of those proxies, separated by commas (default: any)',
    ),
  },
  /** Most of them have the names that kube-apiserver gives them. Durations are in seconds. */
  tuning: {
    auditLog: flag(
      '--audit-log <file>',
      'append a line of JSON for every request (audit.k8s.io/v1, level Metadata)',
    ),
    serviceClusterIpRange: flag(
      '--service-cluster-ip-range <cidrs>',
      'addresses of Services: one block, or one of each family separated by a comma (default: 10.0.0.0/16,fd00:10::/108)',
    ),
    eventTtl: flag(
      '--event-ttl <duration>',
      'keep events this long after they were written (default: 1h)',
      duration,
    ),
    maxRequestsInflight: flag(
      '--max-requests-inflight <number>',
      'concurrent reads; more get a 429 (default: 400)',
      count,
    ),
    maxMutatingRequestsInflight: flag(
      '--max-mutating-requests-inflight <number>',
      'concurrent writes; more get a 429 (default: 200)',
      count,
    ),
    requestTimeout: flag(
      '--request-timeout <duration>',
      'answer requests within this time (default: 1m)',
      duration,
    ),
  },
  controllers: {
    kubeconfig: flag('--kubeconfig <file>', 'server of the controllers, and their credentials'),
    controllers: flag('--controllers <names>', 'which ones, separated by commas (default: all)'),
    serviceAccountPrivateKeyFile: flag(
      '--service-account-private-key-file <file>',
      'signs tokens in secrets, PEM (RSA or EC)',
    ),
    rootCaFile: flag('--root-ca-file <file>', "the server's authority (default: the kubeconfig's)"),
    leaderElect: flag('--leader-elect', 'work only while this process holds the lease'),
  },
}
export type ControlPlaneFlags = ReturnType<typeof groupFlags<typeof GROUPS>>

export const controlPlaneCommand = (): Command =>
  createCommand({
    help: HELP,
    groups: GROUPS,
    headings: {
      served: 'What is served, and where:',
      users: 'Authentication:',
      tuning: 'How it works:',
      controllers: 'With --only controllers:',
    },
  })

const UNITS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 }
/** A timer of Node holds no more milliseconds: some 24 days. */
const MAX_SECONDS = 2_147_483

/** Parses a duration as Go writes it to whole seconds. */
function parseSeconds(text: string): number {
  const parts = [...text.matchAll(/(\d+)(h|m|s)/gy)]
  const seconds = parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0)
  if (parts.map(([part]) => part).join('') !== text || seconds < 1 || seconds > MAX_SECONDS)
    throw new InvalidArgumentError('It must be a duration from 1s to 596h, such as 90s, 1m30s or 1h.')
  return seconds
}

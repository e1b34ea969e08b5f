import { type Command, InvalidArgumentError, Option } from 'commander'
import * as z from 'zod/mini'
import { type Flags, groupFlags } from '../../options/flag-groups.ts'
import { parsePort } from '../../options/port.ts'
import { helpText } from '../../output/help-text.ts'
import { UsageError } from '../../usage.ts'
import { CONTROLLERS } from './controllers.ts'
import { addTuningFlags, TUNING } from './tuning.ts'

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

const text = z.optional(z.string())

const GROUPS = {
  served: z.object({
    port: z.number(),
    bindAddress: z.string(),
    kubeconfigOut: z.string(),
    name: text,
    data: text,
    resources: z.enum(['generic', 'services']),
    only: z.optional(z.enum(['apiserver', 'controllers'])),
    auditLog: text,
  }),
  users: z.object({ tokenAuthFile: text, clientCaFile: text, anonymousAuth: z.boolean() }),
  proxies: z.object({ requestheaderClientCaFile: text, requestheaderAllowedNames: text }),
  oidc: z.object({
    oidcIssuerUrl: text,
    oidcClientId: text,
    oidcKeySet: text,
    oidcUsernameClaim: z.string(),
    oidcGroupsClaim: text,
  }),
  tuning: TUNING,
  controllers: CONTROLLERS,
}

/** The flags of `control-plane`, by subject. */
export type ControlPlaneFlags = ReturnType<typeof controlPlaneFlags>

export const controlPlaneFlags = (flags: Flags) => groupFlags(flags, GROUPS)

/** Flags of `--only controllers`, which say nothing to a server. */
const OF_CONTROLLERS: ReadonlySet<string> = new Set(Object.keys(CONTROLLERS.shape))
/** Flags that say something only with another one. */
const NEEDS: readonly (readonly [flag: string, needed: string])[] = [
  ['requestheaderAllowedNames', 'requestheaderClientCaFile'],
  ['oidcUsernameClaim', 'oidcIssuerUrl'],
  ['oidcGroupsClaim', 'oidcIssuerUrl'],
]

/** Kubeconfigs are written without quotes. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/

function parseName(text: string): string {
  if (!NAME.test(text))
    throw new InvalidArgumentError('It must be of letters, digits, ".", "_" and "-", such as eu-1.')
  return text
}

/** Adds them, in the groups that the help has. */
export function addControlPlaneFlags(command: Command): Command {
  command
    .optionsGroup('What is served, and where:')
    .addOption(
      new Option('--port <number>', 'port to serve on; 0 picks a free one').argParser(parsePort).default(0),
    )
    .option('--bind-address <address>', 'address to serve on', '127.0.0.1')
    .option('--kubeconfig-out <file>', 'where to write the kubeconfig', DEFAULT_KUBECONFIG)
    .addOption(
      new Option(
        '--name <name>',
        'name of the cluster and its context in the kubeconfig (default: sliceflow)',
      ).argParser(parseName),
    )
    .option('--data <folder>', 'keep objects in this folder (default: in memory only)')
    .addOption(
      new Option('--resources <set>', 'what to serve').choices(['generic', 'services']).default('services'),
    )
    .addOption(
      new Option('--only <part>', 'the server without controllers, or these, over the API').choices([
        'apiserver',
        'controllers',
      ]),
    )
    .optionsGroup('Authentication:')
    .option('--token-auth-file <file>', 'users by token, a line each: token,user,uid,"group1,group2"')
    .option('--client-ca-file <file>', 'trust client certificates of this authority, beside its own')
    .option('--anonymous-auth', 'accept requests without credentials, as system:anonymous', false)
    .option('--oidc-issuer-url <url>', 'trust the tokens of this issuer; needs the next two')
    .option('--oidc-client-id <audience>', 'audience that its tokens must have')
    .option('--oidc-key-set <file|url>', 'its public keys, a JWK set')
    .option('--oidc-username-claim <claim>', 'claim with the user’s name', 'sub')
    .option('--oidc-groups-claim <claim>', 'claim with the user’s groups')
    .option(
      '--requestheader-client-ca-file <file>',
      'trust X-Remote-User of front proxies that this authority certifies',
    )
    .option(
      '--requestheader-allowed-names <names>',
      'common names of those proxies, separated by commas (default: any)',
    )
    .optionsGroup('How it works:')
    .option('--audit-log <file>', 'append a line of JSON for every request (audit.k8s.io/v1, level Metadata)')
  return addTuningFlags(command)
    .optionsGroup('With --only controllers:')
    .option('--kubeconfig <file>', 'server of the controllers, and their credentials')
    .option('--controllers <names>', 'which ones, separated by commas (default: all)')
    .option('--service-account-private-key-file <file>', 'signs tokens in secrets, PEM (RSA or EC)')
    .option('--root-ca-file <file>', "the server's authority (default: the kubeconfig's)")
    .option('--leader-elect', 'work only while this process holds the lease')
    .addHelpText('after', helpText(HELP))
}

/** Refuses flags that would do nothing, alone or together. @throws UsageError */
export function checkControlPlaneFlags(command: Command): void {
  const given = command.options.filter(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  for (const option of given) {
    const value: unknown = command.getOptionValue(option.attributeName())
    if (typeof value === 'string' && value.trim() === '')
      throw new UsageError(`${option.long} is empty; give it a value, or leave it out`)
  }
  refuseOtherPart(given, command.getOptionValue('only') === 'controllers')
  const longOf = (name: string): string =>
    command.options.find((option) => option.attributeName() === name)?.long ?? name
  for (const [name, needed] of NEEDS) {
    const isGiven = given.some((option) => option.attributeName() === name)
    if (isGiven && command.getOptionValue(needed) === undefined)
      throw new UsageError(`${longOf(name)} needs ${longOf(needed)}`)
  }
}

function refuseOtherPart(given: readonly Option[], onlyControllers: boolean): void {
  const others = given.filter(
    (option) =>
      option.attributeName() !== 'only' && OF_CONTROLLERS.has(option.attributeName()) !== onlyControllers,
  )
  if (others.length === 0) return
  const names = others.map(({ long }) => long).join(', ')
  const verb = others.length === 1 ? 'goes' : 'go'
  throw new UsageError(
    onlyControllers
      ? `${names} ${verb} with a server, and --only controllers runs none: leave one of them out`
      : `${names} ${verb} with --only controllers`,
  )
}

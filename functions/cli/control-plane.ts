import { createWriteStream, openSync, readFileSync, writeFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import type {
  AuditSink,
  AuthenticationOptions,
  ControlPlane,
  JwtAuthenticatorOptions,
} from '../../shared/control-plane/index.ts'
import { type ControllersFlags, refuseControllersFlags, runControllers } from './control-plane-controllers.ts'
import { addTuningFlags, type TuningFlags, tuningOf } from './control-plane-tuning.ts'
import { parsePort } from './port.ts'
import { untilTerminated } from './signals.ts'
import { UsageError } from './usage.ts'

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
  Only what every control plane has (no Services, Pods, Nodes, EndpointSlices):
    $ sliceflow control-plane --resources generic
  For other machines, with users of their own and a record of what they do:
    $ sliceflow control-plane --bind-address 10.0.0.5 --token-auth-file tokens.csv --audit-log audit.ndjson
  The controllers in a process of their own, for this server or for a kube-apiserver without kube-controller-manager:
    $ sliceflow control-plane --only apiserver --data ./state
    $ sliceflow control-plane --only controllers --kubeconfig control-plane.kubeconfig \
        --service-account-private-key-file ./state/sa.key

Of --only controllers one process may work at a time: --leader-elect lets others wait for kube-controller-manager's
lease in kube-system, and ends a process that loses it. It prints "ready" when it has listed everything that it follows; the user of the kubeconfig needs the rights of upstream's controllers, which
system:masters has. Without a private key no tokens are put into secrets.

Requests are allowed by RBAC; the kubeconfig is that of system:masters, who may do everything.`

/** The flags of `control-plane`. */
export interface ControlPlaneFlags extends ControllersFlags, TuningFlags {
  readonly port: number
  readonly kubeconfigOut: string
  readonly data?: string
  readonly resources: 'generic' | 'services'
  readonly bindAddress: string
  readonly only?: 'apiserver' | 'controllers'
  readonly tokenAuthFile?: string
  readonly anonymousAuth: boolean
  readonly requestheaderClientCaFile?: string
  readonly requestheaderAllowedNames?: string
  readonly auditLog?: string
  readonly clientCaFile?: string
  readonly oidcIssuerUrl?: string
  readonly oidcClientId?: string
  readonly oidcKeySet?: string
  readonly oidcUsernameClaim: string
  readonly oidcGroupsClaim?: string
}

/** The `control-plane` command: the embedded API server. */
export function controlPlaneCommand(): Command {
  const command = new Command('control-plane')
    .description('serve a Kubernetes-style API from this machine, with nothing else installed')
    .addOption(new Option('--port <number>', '0 picks a free one').argParser(parsePort).default(0))
    .option('--kubeconfig-out <file>', 'where to write the kubeconfig', DEFAULT_KUBECONFIG)
    .option('--data <folder>', 'keep objects in this folder (default: in memory only)')
    .addOption(
      new Option('--resources <set>', 'what to serve').choices(['generic', 'services']).default('services'),
    )
    .option('--bind-address <address>', 'address to serve on', '127.0.0.1')
    .addOption(
      new Option('--only <part>', 'the server without controllers, or these, over the API').choices([
        'apiserver',
        'controllers',
      ]),
    )
    .option('--kubeconfig <file>', 'with --only controllers: the server that they are for')
    .option('--controllers <names>', 'with --only controllers: which ones, by commas (default: all)')
    .option(
      '--service-account-private-key-file <file>',
      'with --only controllers: signs tokens in secrets, PEM (RSA or EC)',
    )
    .option(
      '--root-ca-file <file>',
      "with --only controllers: the server's authority (default: the kubeconfig's)",
    )
    .option('--client-ca-file <file>', 'trust client certificates of this authority, beside its own')
    .option('--token-auth-file <file>', 'users by token, a line each: token,user,uid,"group1,group2"')
    .option(
      '--requestheader-client-ca-file <file>',
      'trust X-Remote-User of front proxies that this authority certifies',
    )
    .option('--requestheader-allowed-names <names>', 'common names of those, by commas (default: any)')
    .option('--anonymous-auth', 'let requests without credentials in, as system:anonymous', false)
    .option('--audit-log <file>', 'append a line of JSON for every request (audit.k8s.io/v1, level Metadata)')
    .option('--oidc-issuer-url <url>', 'trust the tokens of this issuer; needs the next two')
    .option('--oidc-client-id <audience>', 'for whom its tokens must be')
    .option('--oidc-key-set <file|url>', 'its public keys, a JWK set')
    .option('--oidc-username-claim <claim>', 'what users are named by', 'sub')
    .option('--oidc-groups-claim <claim>', 'where their groups are')
    .option('--leader-elect', 'with --only controllers: work only while this process holds the lease')
    .addHelpText('after', HELP)
    .action(serveControlPlane)
  return addTuningFlags(command)
}

async function serveControlPlane(flags: ControlPlaneFlags): Promise<void> {
  if (flags.only === 'controllers') return await runControllers(flags)
  refuseControllersFlags(flags)
  const terminated = untilTerminated()
  const controlPlane = await openControlPlane(flags)
  try {
    const { url } = await listen(controlPlane, flags)
    writeKubeconfig(flags.kubeconfigOut, controlPlane.kubeconfig)
    process.stdout.write(`ready: ${url} kubeconfig ${flags.kubeconfigOut}\n`)
    await terminated
  } finally {
    await controlPlane.close()
  }
  process.exit(0)
}

async function openControlPlane(flags: ControlPlaneFlags): Promise<ControlPlane> {
  const { data, resources } = flags
  refuseRangesWithoutServices(flags)
  // Loaded when it is needed: certificates and schemas would slow down every --help.
  const { builtinResources, CONTROLLERS, createControlPlane } = await import(
    '../../shared/control-plane/index.ts'
  )
  const authentication = await authenticationOf(flags)
  const audit = flags.auditLog === undefined ? undefined : openAuditLog(flags.auditLog)
  try {
    return await createControlPlane({
      storage: data === undefined ? {} : { dataDir: data },
      ...(resources === 'generic' ? { resources: builtinResources('generic') } : {}),
      ...tuningOf(flags),
      authentication,
      authorization: 'RBAC',
      crds: true,
      apiServices: true,
      controllers: flags.only === 'apiserver' ? [] : CONTROLLERS,
      ...(audit && { audit }),
      onError: (error) => process.stderr.write(`sliceflow: ${reasonOf(error)}\n`),
    })
  } catch (error) {
    throw new Error(`failed to start the control plane: ${reasonOf(error)}`, { cause: error })
  }
}

/** Without Services nobody would use the addresses. @throws UsageError */
function refuseRangesWithoutServices({ resources, serviceClusterIpRange }: ControlPlaneFlags): void {
  if (resources === 'generic' && serviceClusterIpRange !== undefined)
    throw new UsageError('--service-cluster-ip-range goes with --resources services')
}

async function listen(
  controlPlane: ControlPlane,
  { bindAddress: host, port }: ControlPlaneFlags,
): Promise<{ url: string }> {
  try {
    return await controlPlane.listen({ host, port })
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    const other = taken ? '--port' : '--bind-address'
    throw new Error(`failed to listen on ${host}:${port}: ${reasonOf(error)}; choose another ${other}`)
  }
}

/** Users of the token file and of the issuer; errors say what is wrong and never a token. */
async function authenticationOf(flags: ControlPlaneFlags): Promise<AuthenticationOptions> {
  const { tokenAuthFile, clientCaFile, anonymousAuth: anonymous } = flags
  const { parseTokenFile } = await import('../../shared/control-plane/index.ts')
  const tokens = tokenAuthFile === undefined ? {} : parseTokenFile(readText('token file', tokenAuthFile))
  const clientAuthorities = clientCaFile === undefined ? [] : [readText('authorities', clientCaFile)]
  return { tokens, anonymous, clientAuthorities, jwt: jwtOf(flags), ...requestHeaderOf(flags) }
}

function requestHeaderOf({
  requestheaderClientCaFile: file,
  requestheaderAllowedNames: names,
}: ControlPlaneFlags): Pick<AuthenticationOptions, 'requestHeader'> {
  if (file === undefined && names !== undefined) {
    throw new UsageError('--requestheader-allowed-names needs --requestheader-client-ca-file')
  }
  if (file === undefined) return {}
  const allowedNames = names?.split(',').filter((name) => name !== '') ?? []
  return { requestHeader: { clientAuthorities: [readText('authorities', file)], allowedNames } }
}

function jwtOf(flags: ControlPlaneFlags): JwtAuthenticatorOptions[] {
  const { oidcIssuerUrl: issuer, oidcClientId: audience, oidcKeySet: keySet } = flags
  if (issuer === undefined && audience === undefined && keySet === undefined) return []
  if (issuer === undefined || audience === undefined || keySet === undefined) {
    throw new UsageError('--oidc-issuer-url, --oidc-client-id and --oidc-key-set go together')
  }
  const { oidcUsernameClaim: usernameClaim, oidcGroupsClaim: groupsClaim } = flags
  return [
    {
      issuer,
      audiences: [audience],
      keySet,
      usernameClaim,
      ...(groupsClaim !== undefined && { groupsClaim }),
    },
  ]
}

function readText(what: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`failed to read the ${what} ${file}: ${reasonOf(error)}`)
  }
}

/** Lines are written one after the other in the background; one that cannot be is said on stderr, and requests go on. Throws where the file cannot be opened. */
function openAuditLog(file: string): AuditSink {
  const log = createWriteStream(file, { fd: openAppended(file) })
  log.on('error', (error) =>
    process.stderr.write(`sliceflow: failed to write the audit log ${file}: ${error.message}\n`),
  )
  return (event) => log.write(`${JSON.stringify(event)}\n`)
}

function openAppended(file: string): number {
  try {
    return openSync(file, 'a', 0o600)
  } catch (error) {
    throw new Error(`failed to open the audit log ${file}: ${reasonOf(error)}`)
  }
}

function writeKubeconfig(file: string, text: string): void {
  try {
    // It holds the key of an administrator.
    writeFileSync(file, text, { mode: 0o600 })
  } catch (error) {
    throw new Error(`failed to write the kubeconfig ${file}: ${reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

import { writeFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import type { ControlPlane } from '../../shared/control-plane/index.ts'
import { parsePort } from './port.ts'
import { untilTerminated } from './signals.ts'

const DEFAULT_KUBECONFIG = 'control-plane.kubeconfig'
const HELP = `
Serves a Kubernetes API on 127.0.0.1, and prints one line that begins with "ready" on standard output, with the URL and
the kubeconfig of an administrator. SIGTERM and SIGINT end it.

Examples:
  Everything that Services need, in memory:
    $ sliceflow control-plane
    $ kubectl --kubeconfig control-plane.kubeconfig get namespaces
  On a port of your own, with objects that outlive it:
    $ sliceflow control-plane --port 6443 --data ./state --kubeconfig-out admin.kubeconfig
  Only what every control plane has (no Services, Pods, Nodes, EndpointSlices):
    $ sliceflow control-plane --resources generic`

/** The flags of `control-plane`. */
export interface ControlPlaneFlags {
  readonly port: number
  readonly kubeconfigOut: string
  readonly data?: string
  readonly resources: 'generic' | 'services'
}

/** The `control-plane` command: the embedded API server. */
export function controlPlaneCommand(): Command {
  return new Command('control-plane')
    .description('serve a Kubernetes-style API from this machine, with nothing else installed')
    .addOption(new Option('--port <number>', '0 picks a free one').argParser(parsePort).default(0))
    .option('--kubeconfig-out <file>', 'where to write the kubeconfig', DEFAULT_KUBECONFIG)
    .option('--data <folder>', 'keep objects in this folder (default: in memory only)')
    .addOption(
      new Option('--resources <set>', 'what to serve').choices(['generic', 'services']).default('services'),
    )
    .addHelpText('after', HELP)
    .action(serveControlPlane)
}

async function serveControlPlane(flags: ControlPlaneFlags): Promise<void> {
  const terminated = untilTerminated()
  const controlPlane = await openControlPlane(flags)
  try {
    const { url } = await listen(controlPlane, flags.port)
    writeKubeconfig(flags.kubeconfigOut, controlPlane.kubeconfig)
    process.stdout.write(`ready: ${url} kubeconfig ${flags.kubeconfigOut}\n`)
    await terminated
  } finally {
    await controlPlane.close()
  }
  process.exit(0)
}

async function openControlPlane({ data, resources }: ControlPlaneFlags): Promise<ControlPlane> {
  // Loaded when it is needed: certificates and schemas would slow down every --help.
  const { builtinResources, CONTROLLERS, createControlPlane } = await import(
    '../../shared/control-plane/index.ts'
  )
  try {
    return await createControlPlane({
      storage: data === undefined ? {} : { dataDir: data },
      ...(resources === 'generic' ? { resources: builtinResources('generic') } : {}),
      authorization: 'RBAC',
      controllers: CONTROLLERS,
      onError: (error) => process.stderr.write(`sliceflow: ${reasonOf(error)}\n`),
    })
  } catch (error) {
    throw new Error(`failed to open the control plane's storage ${data ?? 'in memory'}: ${reasonOf(error)}`)
  }
}

async function listen(controlPlane: ControlPlane, port: number): Promise<{ url: string }> {
  try {
    return await controlPlane.listen({ port })
  } catch (error) {
    throw new Error(`failed to listen on 127.0.0.1:${port}: ${reasonOf(error)}; choose another --port`)
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

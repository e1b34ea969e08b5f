import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ensureGoProgram } from '../../support/go-program.ts'

/** Treatment of a port of a Service by kube-proxy on a node. */
export interface ProxiedPort {
  /** `10.0.0.7:80/TCP`. */
  readonly address: string
  readonly affinity: string
  /** Absent without affinity. */
  readonly stickySeconds?: number
  /** `10.1.0.1:8080`, those that it sends connections to. */
  readonly endpoints: readonly string[]
}

const MODULE = fileURLToPath(new URL('./kube-proxy/program', import.meta.url))

/** @throws BinariesError if Go is missing or the build fails */
export const ensureKubeProxy = (): Promise<string> => ensureGoProgram('kube-proxy', MODULE)

/** What kube-proxy makes of a namespace, and what it logs meanwhile. */
interface ProxyRun {
  readonly ports: Readonly<Record<string, ProxiedPort>>
  readonly log: string
}

/**
 * Returns what kube-proxy's own code makes of the Services and EndpointSlices of a namespace, by
 * `namespace/service:port`.
 * @param kubeconfig a file
 * @param zone of the node that it runs on
 */
export async function proxiedPorts(
  kubeconfig: string,
  namespace: string,
  zone = '',
): Promise<ProxyRun['ports']> {
  return (await runProxy(kubeconfig, namespace, zone)).ports
}

/** Does the same, and returns the log as well. */
export async function runProxy(kubeconfig: string, namespace: string, zone = ''): Promise<ProxyRun> {
  const flags = ['-kubeconfig', kubeconfig, '-namespace', namespace, '-zone', zone]
  const { stdout, stderr } = await promisify(execFile)(await ensureKubeProxy(), flags)
  return { ports: JSON.parse(stdout), log: stderr }
}

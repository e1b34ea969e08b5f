import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KubeconfigCluster, kubeconfigText } from '../support/kubeconfig.ts'
import { type Binaries, ensureBinaries } from './binaries.ts'
import { type ClusterCertificates, createCertificates } from './certificates.ts'
import { type Child, type ChildProcesses, createChildProcesses, untilReady } from './child-processes.ts'
import { startEtcd } from './etcd.ts'
import { freePort } from './free-port.ts'

interface TokenUser {
  readonly token: string
  readonly user: string
  readonly groups?: readonly string[]
}

interface ApiServerOptions {
  /** The context's name in the kubeconfigs; default `test`. */
  readonly name?: string
  /**
   * Users besides `admin` (token `admin-token`, group system:masters); what they may do is up to RBAC
   * objects.
   */
  readonly users?: readonly TokenUser[]
  /** Further flags, such as `--watch-cache=false`; the last one wins. */
  readonly flags?: readonly string[]
}

/** A real kube-apiserver with an etcd of its own. */
export interface ApiServer {
  readonly name: string
  readonly url: string
  /** PEM text of the authority that signed the server's certificate. */
  readonly authority: string
  /** URL of its etcd. */
  readonly etcd: string
  /** Kubeconfig of the administrator, with a client certificate. */
  readonly kubeconfig: { readonly path: string; readonly text: string }
  /** Folder of keys, logs (kube-apiserver.log, etcd.log) and data; deleted by `stop`. */
  readonly folder: string
  /** Process ids; kube-apiserver's is another one after `restart`. */
  readonly pids: { readonly apiServer: number; readonly etcd: number }
  /** Makes a kubeconfig of the same cluster for another user. */
  kubeconfigFor(token: string): string
  /**
   * Sends a signal: SIGSTOP freezes it, SIGCONT wakes it, SIGKILL ends it at once; etcd goes on. Resolves
   * once an ending signal has ended it.
   */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Starts it again after `kill` (or ends and starts it): same port, same data. */
  restart(): Promise<void>
  /** Keeps what is stored now, for `setBack`. */
  snapshot(): Promise<void>
  /**
   * Starts it again with what was stored at the last `snapshot`, as from a backup: versions given out since
   * are given out once more.
   */
  setBack(): Promise<void>
  /** Makes every revision before this one unreadable, to see 410 Expired. */
  compact(resourceVersion: string): Promise<void>
  /** Ends both servers and removes the folder. */
  stop(): Promise<void>
}

const ADMIN: TokenUser = { token: 'admin-token', user: 'admin', groups: ['system:masters'] }
const ENDING: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT'])

/**
 * Starts etcd and kube-apiserver on free loopback ports and waits until /readyz says ok. Both are killed when
 * this process ends. ServiceAccount admission is off, so that pods can be created without a
 * controller-manager; nothing writes `default/kubernetes` slices.
 * @throws BinariesError if the programs cannot be had
 * @throws ServerError if one of them does not come up
 */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const binaries = await ensureBinaries()
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-cluster-'))
  const processes = createChildProcesses()
  processes.guardFolder(folder)
  try {
    return await startServers(options, { binaries, folder, processes })
  } catch (error) {
    processes.close()
    throw error
  }
}

interface Surroundings {
  readonly binaries: Binaries
  readonly folder: string
  readonly processes: ChildProcesses
}

async function startServers(
  { name = 'test', users = [], flags = [] }: ApiServerOptions,
  { binaries, folder, processes }: Surroundings,
): Promise<ApiServer> {
  const certificates = await createCertificates()
  await writeFiles(folder, certificates, [ADMIN, ...users])
  const etcd = await startEtcd(processes, binaries.etcd, folder)
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const start = async (): Promise<Child> => {
    const log = join(folder, 'kube-apiserver.log')
    const args = [...apiServerFlags(folder, port, etcd.url), ...flags]
    const started = await processes.start(binaries['kube-apiserver'], args, log)
    await untilReady('kube-apiserver', started, () => isReady(`${url}/readyz`, certificates))
    return started
  }
  let child = await start()

  const kubeconfig = (user: KubeconfigCluster['user']): string =>
    kubeconfigText([{ name, server: url, authority: certificates.authority, user }])
  const path = join(folder, 'kubeconfig')
  const text = kubeconfig(certificates.admin)
  await writeFile(path, text, { mode: 0o600 })

  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    if (ENDING.has(signal)) await child.ended
  }
  return {
    name,
    url,
    folder,
    authority: certificates.authority,
    etcd: etcd.url,
    kubeconfig: { path, text },
    get pids() {
      return { apiServer: child.pid, etcd: etcd.child.pid }
    },
    kubeconfigFor: (token) => kubeconfig({ token }),
    kill,
    async restart() {
      await kill('SIGKILL')
      child = await start()
    },
    snapshot: () => etcd.snapshot(),
    async setBack() {
      await kill('SIGKILL')
      await etcd.setBack()
      child = await start()
    },
    compact: (resourceVersion) => etcd.compact(resourceVersion),
    async stop() {
      await kill('SIGKILL')
      etcd.child.kill('SIGKILL')
      await etcd.child.ended
      processes.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function writeFiles(
  folder: string,
  certificates: ClusterCertificates,
  users: readonly TokenUser[],
): Promise<void> {
  const tokens = users.map(
    ({ token, user, groups = [] }) => `${token},${user},${user},"${groups.join(',')}"\n`,
  )
  const files = {
    'ca.crt': certificates.authority,
    'server.crt': certificates.server.certificate,
    'server.key': certificates.server.key,
    'front-proxy-ca.crt': certificates.frontProxyAuthority,
    'front-proxy-client.crt': certificates.frontProxy.certificate,
    'front-proxy-client.key': certificates.frontProxy.key,
    'service-accounts.key': certificates.serviceAccountKey,
    'tokens.csv': tokens.join(''),
  }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text, { mode: 0o600 })
  }
}

const apiServerFlags = (folder: string, port: number, etcdUrl: string): string[] => [
  `--etcd-servers=${etcdUrl}`,
  '--bind-address=127.0.0.1',
  '--advertise-address=127.0.0.1',
  `--secure-port=${port}`,
  `--cert-dir=${folder}`,
  `--tls-cert-file=${join(folder, 'server.crt')}`,
  `--tls-private-key-file=${join(folder, 'server.key')}`,
  `--client-ca-file=${join(folder, 'ca.crt')}`,
  `--requestheader-client-ca-file=${join(folder, 'front-proxy-ca.crt')}`,
  '--requestheader-allowed-names=front-proxy-client',
  '--requestheader-username-headers=X-Remote-User',
  '--requestheader-uid-headers=X-Remote-Uid',
  '--requestheader-group-headers=X-Remote-Group',
  '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  `--proxy-client-cert-file=${join(folder, 'front-proxy-client.crt')}`,
  `--proxy-client-key-file=${join(folder, 'front-proxy-client.key')}`,
  `--token-auth-file=${join(folder, 'tokens.csv')}`,
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${join(folder, 'service-accounts.key')}`,
  `--service-account-signing-key-file=${join(folder, 'service-accounts.key')}`,
  '--authorization-mode=RBAC',
  '--disable-admission-plugins=ServiceAccount',
  '--service-cluster-ip-range=10.0.0.0/16,fd00:10::/108',
  '--endpoint-reconciler-type=none',
  '--allow-privileged=true',
]

/**
 * Asks whether the server is ready, over a connection of its own: none is left over from a server that was
 * killed.
 */
const isReady = (url: string, { authority, admin }: ClusterCertificates): Promise<boolean> =>
  new Promise((resolve) => {
    const tls = { ca: authority, cert: admin.certificate, key: admin.key }
    const request = get(url, { ...tls, agent: false, timeout: 5_000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy(new Error('no answer')))
    request.on('error', () => resolve(false))
  })

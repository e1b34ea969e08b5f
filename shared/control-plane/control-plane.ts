import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { dirname, join } from 'node:path'
import { type ControllerName, ensureSystemNamespaces, startControllers } from './controllers/index.ts'
import { ApiHandler, ApiServer, Encoder } from './http/index.ts'
import { createBootstrapPolicy, createRbacAuthorizer } from './rbac/index.ts'
import { type Authorize, Registry, type ResourceDefinition } from './registry/index.ts'
import { builtinResources } from './resources/index.ts'
import {
  Authenticator,
  type Authority,
  allowAuthenticated,
  certificateAuthority,
  createServiceAccountTokens,
  kubeconfigFor,
  type ServiceAccountTokens,
  type StaticTokens,
  staticTokens,
} from './security/index.ts'
import { MemoryBackend, ObjectStore, SqliteBackend } from './storage/index.ts'

const DEFAULT_WINDOW = 10_000
const DEFAULT_CONTROLLERS: readonly ControllerName[] = ['namespace', 'clusterrole-aggregation']
/** Kinds that other API groups of Kubernetes have: their text is another one than that of kinds that do not exist. */
const OTHER_GROUPS = new Set([
  'apps/v1',
  'batch/v1',
  'autoscaling/v2',
  'networking.k8s.io/v1',
  'policy/v1',
  'storage.k8s.io/v1',
])

export interface ControlPlaneOptions {
  /** What is served. Default: the built-in set `services`. */
  readonly resources?: readonly ResourceDefinition[]
  /** Folder where objects and the certificate authority outlive the process; made if missing. Default: in memory only. */
  readonly dataDir?: string
  /** What runs beside the server in this process. Default: `namespace` and `clusterrole-aggregation`. */
  readonly controllers?: readonly ControllerName[]
  /** How many of the latest changes can be watched and listed again. Default 10000. */
  readonly historyWindow?: number
  /** Users by bearer token. Default: none. */
  readonly tokens?: StaticTokens
  /**
   * `RBAC`: by the roles and bindings that the server holds, those of every cluster to begin with.
   * Default: everybody who is known may do everything, others may read health and version.
   */
  readonly authorize?: 'RBAC' | Authorize
  /** CIDR blocks of cluster IPs, the primary family first; for the default resources. Default `10.0.0.0/16` and `fd00:10::/108`. */
  readonly serviceRanges?: readonly string[]
  /** Told of failures that are the server's own fault; their requests are answered with a 500. Default: nobody is. */
  readonly onError?: (error: unknown) => void
}

export interface ListenOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: any free port. */
  readonly port?: number
}

export interface ControlPlane {
  /** Starts to serve. Rejects with the system's error where the address is taken or not allowed. */
  listen(options?: ListenOptions): Promise<{ url: string; port: number }>
  /** A kubeconfig (YAML) of an administrator in system:masters, once the server listens; throws before. */
  readonly kubeconfig: string
  /** Ends every connection and watch and closes the storage. */
  close(): Promise<void>
}

/** Makes a Kubernetes-style API server that runs inside this process. */
export async function createControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { dataDir, historyWindow = DEFAULT_WINDOW, tokens = {}, onError = () => undefined } = options
  if (dataDir) makeFolder(dataDir)
  const authority = await openAuthority(dataDir)
  const store = new ObjectStore(dataDir ? new SqliteBackend(dataDir) : new MemoryBackend(), historyWindow)
  const registry = new Registry(
    options.resources ?? builtinResources('services', options.serviceRanges),
    store,
  )
  const serviceAccountTokens = await openServiceAccountTokens(dataDir)
  ensureSystemNamespaces({ registry })
  if (options.authorize === 'RBAC') createBootstrapPolicy(registry, Date.now())
  const stopControllers = startControllers(options.controllers ?? DEFAULT_CONTROLLERS, {
    registry,
    store,
    certificate: authority.certificate,
    onError,
  })
  const authenticator = new Authenticator([
    staticTokens(tokens),
    (token) => serviceAccountTokens.authenticate(token, registry.objects),
  ])
  const handler = new ApiHandler({
    registry,
    encoder: new Encoder(),
    now: Date.now,
    isKnownKind: (apiVersion, kind) => isKnownKind(registry, apiVersion, kind),
    authenticator,
    userOfToken: (token) => authenticator.userOfToken(token),
    issueToken: (claims) => serviceAccountTokens.issue(claims),
    authorize: authorizerOf(options.authorize, registry),
    onError,
  })
  return new RunningControlPlane(authority, handler, async () => {
    stopControllers()
    store.close()
  })
}

/** A folder and those above it. Node's own recursive mkdir never returns on file systems that refuse new entries with ENOENT, as /proc does. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  mkdirSync(path)
}

function isKnownKind(registry: Registry, apiVersion: string, kind: string): boolean {
  if (OTHER_GROUPS.has(apiVersion)) return true
  return registry.definitions.some(
    (definition) =>
      definition.kind === kind &&
      apiVersion ===
        (definition.group === '' ? definition.version : `${definition.group}/${definition.version}`),
  )
}

/** The authority of the data folder, so that kubeconfigs stay good over restarts; a new one where there is none. */
async function openAuthority(dataDir: string | undefined): Promise<Authority> {
  if (!dataDir) return await certificateAuthority()
  const files = { certificate: join(dataDir, 'ca.crt'), key: join(dataDir, 'ca.key') }
  if (existsSync(files.key)) {
    return await certificateAuthority({
      certificate: readFileSync(files.certificate, 'utf8'),
      key: readFileSync(files.key, 'utf8'),
    })
  }
  const authority = await certificateAuthority()
  writeFileSync(files.certificate, authority.certificate)
  writeFileSync(files.key, authority.key, { mode: 0o600 })
  return authority
}

function authorizerOf(authorize: ControlPlaneOptions['authorize'], registry: Registry): Authorize {
  return authorize === 'RBAC' ? createRbacAuthorizer(registry.objects) : (authorize ?? allowAuthenticated)
}

/** The key of the data folder, so that tokens stay good over restarts; a new one where there is none. */
async function openServiceAccountTokens(dataDir: string | undefined): Promise<ServiceAccountTokens> {
  if (!dataDir) return await createServiceAccountTokens()
  const file = join(dataDir, 'sa.key')
  if (existsSync(file)) return await createServiceAccountTokens(readFileSync(file, 'utf8'))
  const tokens = await createServiceAccountTokens()
  writeFileSync(file, tokens.key, { mode: 0o600 })
  return tokens
}

class RunningControlPlane implements ControlPlane {
  readonly #authority: Authority
  readonly #handler: ApiHandler
  readonly #release: () => Promise<void>
  #server: ApiServer | undefined
  #kubeconfig: string | undefined

  constructor(authority: Authority, handler: ApiHandler, release: () => Promise<void>) {
    this.#authority = authority
    this.#handler = handler
    this.#release = release
  }

  get kubeconfig(): string {
    if (this.#kubeconfig === undefined) {
      throw new Error(
        'failed to make a kubeconfig: the control plane does not listen yet; call listen() first',
      )
    }
    return this.#kubeconfig
  }

  async listen({ host = '127.0.0.1', port = 0 }: ListenOptions = {}): Promise<{ url: string; port: number }> {
    if (this.#server) throw new Error('failed to listen: the control plane listens already')
    const hosts = [...new Set(['localhost', '127.0.0.1', host])]
    const server = new ApiServer({
      handler: this.#handler,
      certificate: await this.#authority.server(hosts),
      authority: this.#authority.certificate,
    })
    const bound = await server.listen(host, port)
    this.#server = server
    const url = `https://${isIPv6(host) ? `[${host}]` : host}:${bound}`
    const admin = await this.#authority.client('kubernetes-admin', ['system:masters'])
    this.#kubeconfig = kubeconfigFor(url, this.#authority.certificate, admin)
    return { url, port: bound }
  }

  async close(): Promise<void> {
    await this.#server?.close()
    await this.#release()
  }
}

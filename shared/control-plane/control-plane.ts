import { isIPv6 } from 'node:net'
import { serverAdmission } from './admission/index.ts'
import type { ApiServices } from './aggregation/index.ts'
import { type ControllerName, ensureSystemNamespaces, startLocalControllers } from './controllers/index.ts'
import type { CustomResources } from './custom-resources/index.ts'
import {
  makeFolder,
  openAuthority,
  openFrontProxyAuthority,
  openServiceAccountTokens,
} from './data-folder.ts'
import { ApiHandler, ApiServer, type ApiServerOptions, EventEncoder } from './http/index.ts'
import type { AuthenticationOptions, ControlPlaneOptions, ListenOptions, StorageOptions } from './options.ts'
import { createBootstrapPolicy, createRbacAuthorizer } from './rbac/index.ts'
import { type Authorize, ISSUER, Registry } from './registry/index.ts'
import { builtinResources, createClassifier, withBuiltinAdmission } from './resources/index.ts'
import {
  Authenticator,
  type Authority,
  allowAuthenticated,
  type JwtAuthenticatorOptions,
  kubeconfigFor,
  type LazyServiceAccountTokens,
  staticTokens,
  type TokenAuthenticator,
} from './security/index.ts'
import { MemoryBackend, ObjectStore, SqliteBackend, startExpiry } from './storage/index.ts'

const DEFAULT_WINDOW = 10_000
const EVENT_TTL_SECONDS = 3600
const DEFAULT_CONTROLLERS: readonly ControllerName[] = [
  'namespace',
  'serviceaccount',
  'clusterrole-aggregation',
]
/** Kinds that other API groups of Kubernetes have: their text is another one than that of kinds that do not exist. */
const OTHER_GROUPS = new Set([
  'apps/v1',
  'batch/v1',
  'autoscaling/v2',
  'networking.k8s.io/v1',
  'policy/v1',
  'storage.k8s.io/v1',
])

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
  const { storage = {}, authentication = {}, authorization, onError = () => undefined } = options
  const { dataDir } = storage
  if (dataDir !== undefined) makeFolder(dataDir)
  const [serviceAccountTokens, authority, apiServices] = await Promise.all([
    openServiceAccountTokens(dataDir),
    openAuthority(dataDir),
    options.apiServices ? loadApiServices(dataDir) : undefined,
  ])
  const store = openStore(storage, onError)
  const customResources = options.crds ? await loadCustomResources(store) : undefined
  const resources = options.resources ?? builtinResources('services', options.serviceRanges)
  const registry = new Registry(
    [
      ...resources,
      ...(customResources ? [customResources.definition] : []),
      ...(apiServices ? [apiServices.definition] : []),
    ],
    store,
  )
  const clientAuthorities = [authority.certificate, ...(authentication.clientAuthorities ?? [])]
  const authenticator = await authenticatorOf(authentication, {
    registry,
    serviceAccountTokens,
    clientAuthorities,
    onError,
  })
  ensureSystemNamespaces(registry)
  if (authorization === 'RBAC') createBootstrapPolicy(registry, Date.now())
  const ends = registry.definitions.map(({ lifecycle }) => lifecycle?.start?.(registry, onError))
  const stopCustomResources = customResources?.start(registry, store, onError)
  const aggregation = apiServices?.start({ registry, store, clientAuthorities, onError })
  const stopControllers = startLocalControllers(options.controllers ?? DEFAULT_CONTROLLERS, {
    registry,
    certificate: authority.certificate,
    issueToken: (account, secretName) => serviceAccountTokens.issueForSecret(account, secretName),
    onError,
    elsewhere: aggregation?.content,
  })
  const stopExpiry = startExpiry(store, {
    resource: 'events',
    seconds: options.eventTtlSeconds ?? EVENT_TTL_SECONDS,
    onError,
  })
  const admission = serverAdmission(registry, options.admission ?? [])
  /** Known once the server listens. */
  const address: Address = { url: undefined }
  const handler = new ApiHandler({
    registry,
    encoder: new EventEncoder(),
    now: Date.now,
    isKnownKind: (apiVersion, kind) => isKnownKind(registry, apiVersion, kind),
    authenticator,
    userOfToken: (token) => authenticator.userOfToken(token),
    issueToken: (claims) => serviceAccountTokens.issue(claims),
    authorize: authorizerOf(authorization, registry),
    admission: withBuiltinAdmission(admission.plugins, registry),
    delegated: aggregation?.delegated,
    durable: () => store.durable(),
    isStorageWell: () => store.flush(),
    tokenIssuer: {
      issuer: ISSUER,
      keys: () => serviceAccountTokens.keys(),
      url: () => address.url,
    },
    limits: options.limits ?? {},
    classify: createClassifier(registry),
    audit: options.audit,
    onError,
  })
  const tlsAuthorities = [...clientAuthorities, ...(authentication.requestHeader?.clientAuthorities ?? [])]
  return new RunningControlPlane(
    authority,
    { handler, clientAuthorities: tlsAuthorities, registry, address },
    async () => {
      stopExpiry()
      stopControllers()
      admission.close()
      aggregation?.stop()
      stopCustomResources?.()
      for (const end of ends) end?.()
      store.close()
    },
  )
}

/** Loaded when it is needed: CEL and regular expressions of its own would slow down every start. */
async function loadCustomResources(store: ObjectStore): Promise<CustomResources> {
  const { createCustomResources } = await import('./custom-resources/index.ts')
  return await createCustomResources(store)
}

/** Loaded when it is needed, as CustomResourceDefinitions are. */
async function loadApiServices(dataDir: string | undefined): Promise<ApiServices> {
  const [{ createApiServices }, frontProxies] = await Promise.all([
    import('./aggregation/index.ts'),
    openFrontProxyAuthority(dataDir),
  ])
  return await createApiServices(frontProxies)
}

function openStore(
  { dataDir, backend, historyWindow = DEFAULT_WINDOW }: StorageOptions,
  onError: (error: unknown) => void,
): ObjectStore {
  const fallback = () => (dataDir === undefined ? new MemoryBackend() : new SqliteBackend(dataDir))
  return new ObjectStore(backend ?? fallback(), historyWindow, onError)
}

interface AuthenticationServices {
  readonly registry: Registry
  readonly serviceAccountTokens: LazyServiceAccountTokens
  readonly clientAuthorities: readonly string[]
  readonly onError: (error: unknown) => void
}

async function authenticatorOf(
  { tokens = {}, jwt = [], anonymous = false, requestHeader }: AuthenticationOptions,
  { registry, serviceAccountTokens, clientAuthorities, onError }: AuthenticationServices,
): Promise<Authenticator> {
  const authenticators = [
    staticTokens(tokens),
    (token: string) => serviceAccountTokens.authenticate(token, registry.objects),
    ...(await issuersOf(jwt, onError)),
  ]
  return new Authenticator({ tokens: authenticators, anonymous, clientAuthorities, requestHeader })
}

/** Loaded when there is one. */
async function issuersOf(
  issuers: readonly JwtAuthenticatorOptions[],
  onError: (error: unknown) => void,
): Promise<TokenAuthenticator[]> {
  if (issuers.length === 0) return []
  const { jwtAuthenticator } = await import('./security/jwt/index.ts')
  return issuers.map((issuer) => jwtAuthenticator(issuer, onError))
}

function isKnownKind(registry: Registry, apiVersion: string, kind: string): boolean {
  return OTHER_GROUPS.has(apiVersion) || registry.endpointOfKind(apiVersion, kind) !== undefined
}

function authorizerOf(authorization: ControlPlaneOptions['authorization'], registry: Registry): Authorize {
  return authorization === 'RBAC'
    ? createRbacAuthorizer(registry.objects)
    : (authorization ?? allowAuthenticated)
}

type Service = Pick<ApiServerOptions, 'handler' | 'clientAuthorities'> & {
  readonly registry: Registry
  readonly address: Address
}

interface Address {
  url: string | undefined
}

class RunningControlPlane implements ControlPlane {
  readonly #authority: Authority
  readonly #service: Service
  readonly #release: () => Promise<void>
  #server: ApiServer | undefined
  #kubeconfig: string | undefined

  constructor(authority: Authority, service: Service, release: () => Promise<void>) {
    this.#authority = authority
    this.#service = service
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

  async listen({ host = '127.0.0.1', port = 0, names = [] }: ListenOptions = {}): Promise<{
    url: string
    port: number
  }> {
    if (this.#server) throw new Error('failed to listen: the control plane listens already')
    const hosts = [...new Set(['localhost', '127.0.0.1', host, ...names])]
    const { registry, address, ...service } = this.#service
    const server = new ApiServer({
      ...service,
      certificate: await this.#authority.server(hosts),
    })
    const bound = await server.listen(host, port)
    this.#server = server
    const url = `https://${isIPv6(host) ? `[${host}]` : host}:${bound}`
    address.url = url
    const admin = await this.#authority.client('kubernetes-admin', ['system:masters'])
    this.#kubeconfig = kubeconfigFor(url, this.#authority.certificate, admin)
    for (const { lifecycle } of registry.definitions) lifecycle?.listening?.(registry, { host, port: bound })
    return { url, port: bound }
  }

  async close(): Promise<void> {
    await this.#server?.close()
    await this.#release()
  }
}

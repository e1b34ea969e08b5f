import { serverAdmission } from './admission/server-admission.ts'
import type { ApiServices } from './aggregator/index.ts'
import type { CustomResources } from './apiextensions/index.ts'
import { checkOptions } from './apiserver/checks/check-options.ts'
import { ApiHandler } from './apiserver/http/api-handler.ts'
import { EventEncoder } from './apiserver/http/watch/encoder.ts'
import { type Authorize, ISSUER } from './apiserver/registry/access.ts'
import { Registry } from './apiserver/registry/registry.ts'
import { MemoryBackend } from './apiserver/storage/backend.ts'
import { startExpiry } from './apiserver/storage/expiry.ts'
import { ObjectStore } from './apiserver/storage/object-store.ts'
import { SqliteBackend } from './apiserver/storage/sqlite-backend.ts'
import { createRbacAuthorizer } from './auth/rbac/authorizer.ts'
import { createBootstrapPolicy } from './auth/rbac/bootstrap.ts'
import {
  Authenticator,
  staticTokens,
  type TokenAuthenticator,
  tellingFailures,
} from './auth/security/authentication.ts'
import { allowAuthenticated } from './auth/security/authorization.ts'
import type { JwtAuthenticatorOptions } from './auth/security/jwt/jwt-authenticator.ts'
import type { LazyServiceAccountTokens } from './auth/security/lazy-service-account-tokens.ts'
import type { ControllerName } from './controllers/names.ts'
import { ensureSystemNamespaces } from './controllers/namespaces/system-namespaces.ts'
import { startLocalControllers } from './controllers/start-local.ts'
import {
  makeFolder,
  openAuthority,
  openFrontProxyAuthority,
  openServiceAccountTokens,
} from './data-folder.ts'
import type { AuthenticationOptions, ControlPlaneOptions, StorageOptions } from './options.ts'
import { withBuiltinAdmission } from './resources/admission.ts'
import { builtinResources } from './resources/builtin.ts'
import { createClassifier } from './resources/flow-control/classify.ts'
import { type Address, type ControlPlane, RunningControlPlane } from './running-control-plane.ts'

export type { ControlPlane } from './running-control-plane.ts'

const EVENT_TTL_SECONDS = 3600
const DEFAULT_CONTROLLERS: readonly ControllerName[] = [
  'namespace',
  'serviceaccount',
  'clusterrole-aggregation',
]
/** Kinds of Kubernetes' other API groups: their text differs from that of kinds that do not exist. */
const OTHER_GROUPS = new Set([
  'apps/v1',
  'batch/v1',
  'autoscaling/v2',
  'networking.k8s.io/v1',
  'policy/v1',
  'storage.k8s.io/v1',
])

/**
 * Makes a Kubernetes-style API server that runs inside this process; it serves nothing before it listens.
 * Rejects where options are wrong or the data folder cannot be used; nothing stays open then.
 * @example
 * ```ts
 * const controlPlane = await createControlPlane({ apis: { crds: true }, authorization: 'RBAC' })
 * const { url } = await controlPlane.listen()
 * url.startsWith('https://127.0.0.1:') // => true
 * controlPlane.kubeconfig.includes('kind: Config') // => true
 * await controlPlane.close()
 * ```
 */
export async function createControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  checkOptions(options)
  const closing = new AsyncDisposableStack()
  try {
    return await assemble(options, closing)
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}

/**
 * Puts the parts together, each made of those before it:
 * 1. the storage, keys and certificates
 * 2. the resources that are served, and the objects that are there from the beginning
 * 3. the work beside requests
 * 4. the answers to requests
 * @param closing gets functions that end the parts, which end in the opposite order
 */
async function assemble(
  options: ControlPlaneOptions,
  closing: AsyncDisposableStack,
): Promise<RunningControlPlane> {
  const { apis = {}, storage = {}, authentication = {}, authorization } = options
  const { audit, onError = () => undefined } = options.observer ?? {}
  const { dataDir } = storage
  // 1.
  if (dataDir !== undefined) makeFolder(dataDir)
  // First: it keeps other processes out of the folder, whose keys are made where there are none.
  const store = openStore(storage, onError)
  closing.defer(() => store.close())
  const [serviceAccountTokens, authority, apiServices] = await Promise.all([
    openServiceAccountTokens(dataDir),
    openAuthority(dataDir),
    apis.apiServices ? loadApiServices(dataDir) : undefined,
  ])
  const clientAuthorities = [authority.certificate, ...(authentication.clientAuthorities ?? [])]
  // 2.
  const customResources = apis.crds ? await loadCustomResources(store) : undefined
  const resources = apis.resources ?? builtinResources('services', apis.serviceRanges)
  const further = [customResources, apiServices].flatMap((part) => part?.definition ?? [])
  const registry = new Registry([...resources, ...further], store)
  const authenticator = await authenticatorOf(authentication, {
    registry,
    serviceAccountTokens,
    clientAuthorities,
    onError,
  })
  ensureSystemNamespaces(registry)
  if (authorization === 'RBAC') createBootstrapPolicy(registry, Date.now())
  // 3.
  for (const end of startLifecycles(registry, onError)) closing.defer(end)
  if (customResources) closing.defer(customResources.start(registry, store, onError))
  const aggregation = apiServices?.start({ registry, store, clientAuthorities, onError })
  if (aggregation) closing.defer(() => aggregation.stop())
  const stopControllers = startLocalControllers(options.controllers ?? DEFAULT_CONTROLLERS, {
    registry,
    certificate: authority.certificate,
    issueToken: (account, secretName) => serviceAccountTokens.issueForSecret(account, secretName),
    onError,
    elsewhere: aggregation?.content,
  })
  closing.defer(stopControllers)
  const { eventTtlSeconds: seconds = EVENT_TTL_SECONDS } = storage
  closing.defer(startExpiry(store, { resource: 'events', seconds, onError }))
  // 4.
  const admission = serverAdmission(registry, options.admission ?? [])
  closing.defer(() => admission.close())
  const address: Address = { url: undefined }
  const handler = new ApiHandler({
    services: {
      registry,
      encoder: new EventEncoder(),
      now: Date.now,
      isKnownKind: (apiVersion, kind) => isKnownKind(registry, apiVersion, kind),
      userOfToken: (token) => authenticator.userOfToken(token),
      issueToken: (claims) => serviceAccountTokens.issue(claims),
      authorize: authorizerOf(authorization, registry),
      admission: withBuiltinAdmission(admission.plugins, registry),
    },
    authenticator,
    delegated: aggregation?.delegated,
    storage: { isWell: () => store.flush(), durable: () => store.durable() },
    tokenIssuer: {
      issuer: ISSUER,
      keys: () => serviceAccountTokens.keys(),
      url: () => address.url,
    },
    limits: options.limits ?? {},
    classify: createClassifier(registry),
    observer: { audit, onError },
  })
  const tlsAuthorities = [...clientAuthorities, ...(authentication.requestHeader?.clientAuthorities ?? [])]
  return new RunningControlPlane({
    authority,
    handler,
    clientAuthorities: tlsAuthorities,
    registry,
    address,
    closing,
  })
}

/** Returns what ends them. */
function startLifecycles(registry: Registry, onError: (error: unknown) => void): (() => void)[] {
  return registry.definitions.flatMap(({ lifecycle }) => lifecycle?.start?.(registry, onError) ?? [])
}

/** Loads custom resources on demand: CEL and its regular expressions would slow down every start. */
async function loadCustomResources(store: ObjectStore): Promise<CustomResources> {
  const { createCustomResources } = await import('./apiextensions/index.ts')
  return await createCustomResources(store)
}

/** Loads APIServices when they are needed, like CustomResourceDefinitions. */
async function loadApiServices(dataDir: string | undefined): Promise<ApiServices> {
  const [{ createApiServices }, frontProxies] = await Promise.all([
    import('./aggregator/index.ts'),
    openFrontProxyAuthority(dataDir),
  ])
  return await createApiServices(frontProxies)
}

function openStore(
  { dataDir, backend, historyWindow, historySize }: StorageOptions,
  onError: (error: unknown) => void,
): ObjectStore {
  const fallback = () => (dataDir === undefined ? new MemoryBackend() : new SqliteBackend(dataDir))
  return new ObjectStore(backend ?? fallback(), { changes: historyWindow, size: historySize }, onError)
}

interface AuthenticationServices {
  readonly registry: Registry
  readonly serviceAccountTokens: LazyServiceAccountTokens
  readonly clientAuthorities: readonly string[]
  readonly onError: (error: unknown) => void
}

async function authenticatorOf(
  {
    tokens = {},
    authenticators: own = [],
    jwt = [],
    anonymous = false,
    requestHeader,
  }: AuthenticationOptions,
  { registry, serviceAccountTokens, clientAuthorities, onError }: AuthenticationServices,
): Promise<Authenticator> {
  const authenticators = [
    staticTokens(tokens),
    (token: string) => serviceAccountTokens.authenticate(token, registry.objects),
    ...(await issuersOf(jwt, onError)),
    ...own.map((authenticate) => tellingFailures(authenticate, onError)),
  ]
  return new Authenticator({ tokens: authenticators, anonymous, clientAuthorities, requestHeader })
}

/** Loads the issuers if there are any. */
async function issuersOf(
  issuers: readonly JwtAuthenticatorOptions[],
  onError: (error: unknown) => void,
): Promise<TokenAuthenticator[]> {
  if (issuers.length === 0) return []
  const { jwtAuthenticator } = await import('./auth/security/jwt/index.ts')
  return issuers.map((issuer) => jwtAuthenticator(issuer, onError))
}

function isKnownKind(registry: Registry, apiVersion: string, kind: string): boolean {
  if (registry.endpointOfKind(apiVersion, kind) !== undefined) return true
  return OTHER_GROUPS.has(apiVersion) && registry.definitions.every((definition) => definition.kind !== kind)
}

function authorizerOf(authorization: ControlPlaneOptions['authorization'], registry: Registry): Authorize {
  return authorization === 'RBAC'
    ? createRbacAuthorizer(registry.objects)
    : (authorization ?? allowAuthenticated)
}

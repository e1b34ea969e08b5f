import type { JwtAuthenticatorOptions } from '../../auth/security/jwt/jwt-authenticator.ts'
import type { RequestHeaderOptions } from '../../auth/security/request-header.ts'
import { CONTROLLERS } from '../../controllers/names.ts'
import type {
  ApiOptions,
  AuthenticationOptions,
  ControlPlaneOptions,
  ListenOptions,
  ObserverOptions,
  StorageOptions,
} from '../../options.ts'
import type { RequestLimits } from '../http/in-flight.ts'
import type { AdmissionPlugin } from '../registry/admission/types.ts'
import {
  anyText,
  boolean,
  type Check,
  type ChecksOf,
  count,
  either,
  formed,
  func,
  list,
  members,
  methods,
  object,
  oneOf,
  positive,
  text,
} from './check.ts'
import { checkResources } from './check-resources.ts'

/** A timer of Node holds no more milliseconds: some 24 days. */
const LONGEST_SECONDS = 2_147_483

const APIS: ChecksOf<ApiOptions> = {
  resources: checkResources,
  serviceRanges: list(text, 1),
  crds: boolean,
  apiServices: boolean,
}

const STORAGE: ChecksOf<StorageOptions> = {
  dataDir: text,
  backend: methods('load', 'append', 'commit', 'compact', 'close'),
  historyWindow: count,
  historySize: count,
  eventTtlSeconds: positive(),
}

const JWT: ChecksOf<JwtAuthenticatorOptions> = {
  issuer: text,
  audiences: list(text),
  keySet: either('a file, an https: URL or a key set', text, object),
  certificateAuthority: text,
  usernameClaim: text,
  usernamePrefix: anyText,
  groupsClaim: text,
  groupsPrefix: anyText,
}

const REQUEST_HEADER: ChecksOf<RequestHeaderOptions> = {
  clientAuthorities: list(text, 1),
  allowedNames: list(text),
  usernameHeaders: list(text, 1),
  uidHeaders: list(text),
  groupHeaders: list(text),
  extraHeaderPrefixes: list(text),
}

const USER = { username: text, groups: list(text), uid: anyText, extra: object }

/** Checks a list of tokens. Errors do not name them in their paths. */
const tokens: Check = (value, path) => {
  object(value, path)
  for (const user of Object.values(Object(value))) members(USER, ['username', 'groups'])(user, `${path}[…]`)
}

const AUTHENTICATION: ChecksOf<AuthenticationOptions> = {
  tokens,
  authenticators: list(func),
  jwt: list(members(JWT, ['issuer', 'audiences', 'keySet'])),
  clientAuthorities: list(text),
  requestHeader: members(REQUEST_HEADER, ['clientAuthorities']),
  anonymous: boolean,
}

const LIMITS: ChecksOf<RequestLimits> = {
  reads: count,
  writes: count,
  timeoutSeconds: positive(LONGEST_SECONDS),
}

const PLUGIN: ChecksOf<AdmissionPlugin> = { name: text, handles: func, mutate: func, validate: func }

/** Checks a plugin, which may be of a class and have other members. */
const plugin: Check = (value, path) => {
  object(value, path)
  const { name, handles, mutate, validate } = Object(value)
  members(PLUGIN, ['name'])({ name, handles, mutate, validate }, path)
  if (!mutate && !validate) throw new TypeError(`${path} must have mutate or validate`)
}

const OPTIONS: ChecksOf<ControlPlaneOptions> = {
  apis: members(APIS),
  storage: members(STORAGE),
  authentication: members(AUTHENTICATION),
  authorization: either("'RBAC' or a function", oneOf(['RBAC']), func),
  admission: list(plugin),
  controllers: list(oneOf(CONTROLLERS)),
  limits: members(LIMITS),
  observer: members({ audit: func, onError: func } satisfies ChecksOf<ObserverOptions>),
}

const LISTEN: ChecksOf<ListenOptions> = {
  host: text,
  port: (value, path) => {
    count(value, path)
    if (Number(value) > 65_535) throw new TypeError(`${path} must be 0 to 65535, not ${value}`)
  },
  names: list(formed('a DNS name or an IP address', /^[A-Za-z0-9*]([A-Za-z0-9.:_-]*[A-Za-z0-9:])?$/)),
  context: formed('a name of letters, digits, ".", "_" and "-"', /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/),
}

/** Refuses options that would do nothing, or not what they say. Throws a TypeError that names the option. */
export function checkOptions(options: ControlPlaneOptions): void {
  refusing('failed to make a control plane', () => {
    members(OPTIONS)(options, '')
    const { resources, serviceRanges } = options.apis ?? {}
    if (resources !== undefined && serviceRanges !== undefined)
      throw new TypeError(
        "apis.serviceRanges are of the default resources, and there are others: give them to builtinResources('services', ranges)",
      )
  })
}

/** Checks the options of `listen` in the same way. */
export function checkListenOptions(options: ListenOptions): void {
  refusing('failed to listen', () => members(LISTEN)(options, ''))
}

function refusing(what: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(`${what}: ${error.message}`) : error
  }
}

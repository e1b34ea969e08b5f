import { readFile } from 'node:fs/promises'
import { proxyUrl } from '../../proxy/index.ts'
import { parseJson, recordOf } from '../../values/index.ts'
import type { Credentials } from '../connection.ts'
import { assertExecConfig, runExecPlugin } from './exec-plugin.ts'
import type { KubeconfigCluster, KubeconfigUser } from './kubeconfig-file.ts'

/** Maximum age of token files in milliseconds; client-go reads them every minute, too (token_source.go). */
const FILES_MAX_AGE_MS = 60_000

/**
 * Loads the credentials of a cluster and a user, by client-go's rules: its validation (tools/clientcmd), then
 * its precedence (rest, transport). A token, a password or a certificate goes before a plugin.
 * @param signal ends a plugin
 */
export async function loadCredentials(
  cluster: KubeconfigCluster,
  user: KubeconfigUser,
  signal?: AbortSignal,
): Promise<Credentials> {
  assertUsable(cluster, user)
  const [ca, cert, token] = await Promise.all([authorityOf(cluster), certificateOf(user), tokenOf(user)])
  const hasOwn = token !== undefined || user.username || cert !== undefined
  const plugin =
    hasOwn || user.exec === undefined ? undefined : await runExecPlugin(user.exec, cluster, signal)
  const provided = token === undefined && !user.username ? await oidcToken(user) : undefined
  return {
    headers: { ...authorization(user, token ?? plugin?.token ?? provided), ...impersonationHeaders(user) },
    ca,
    ...(cert ?? plugin?.certificate),
    ...(cluster['tls-server-name'] && { servername: cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] && { rejectUnauthorized: false }),
    ...(cluster['proxy-url'] && { proxy: proxyUrl(cluster['proxy-url']) }),
    ...(cluster['disable-compression'] && { disableCompression: true }),
    expiresAt: plugin === undefined ? expiryOf(cluster, user) : plugin.expiresAt,
  }
}

/** @throws Error in words of the first rule that is broken */
function assertUsable(cluster: KubeconfigCluster, user: KubeconfigUser): void {
  const problems: readonly (readonly [unknown, string])[] = [
    [
      cluster['certificate-authority'] && cluster['certificate-authority-data'],
      both('certificate-authority'),
    ],
    [
      cluster['insecure-skip-tls-verify'] &&
        (cluster['certificate-authority'] || cluster['certificate-authority-data']),
      'insecure-skip-tls-verify and a certificate-authority exclude each other: leave one out',
    ],
    [user['client-certificate'] && user['client-certificate-data'], both('client-certificate')],
    [hasCertificate(user) && user['client-key'] && user['client-key-data'], both('client-key')],
    [
      hasCertificate(user) && !user['client-key'] && !user['client-key-data'],
      'its user has a client-certificate without a client-key',
    ],
    [
      (user.token || user.tokenFile) && (user.username || user.password),
      'its user has a token and a password: leave one out',
    ],
    [user.exec && user['auth-provider'], 'its user has an exec plugin and an auth-provider: leave one out'],
    [
      !user.as && (user['as-uid'] || user['as-groups']?.length || hasKeys(user['as-user-extra'])),
      'as-uid, as-groups or as-user-extra is given without the user to act as: add "as"',
    ],
  ]
  const [, problem] = problems.find(([isBroken]) => Boolean(isBroken)) ?? []
  if (problem !== undefined) throw new Error(problem)
  if (user.exec !== undefined) assertExecConfig(user.exec)
  assertAuthProvider(user)
}

const both = (field: string): string => `${field} and ${field}-data are both given: leave one out`
const hasKeys = (value: object | undefined): boolean => Object.keys(value ?? {}).length > 0
const hasCertificate = (user: KubeconfigUser): boolean =>
  Boolean(user['client-certificate'] || user['client-certificate-data'])

async function authorityOf(cluster: KubeconfigCluster): Promise<string | undefined> {
  const pem = await bytesOf(cluster['certificate-authority'], cluster['certificate-authority-data'])
  if (pem === undefined) return undefined
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new Error('its certificate-authority holds no certificate in PEM')
  return pem
}

async function certificateOf(user: KubeconfigUser): Promise<Pick<Credentials, 'cert' | 'key'> | undefined> {
  if (!hasCertificate(user)) return undefined
  const [cert, key] = await Promise.all([
    bytesOf(user['client-certificate'], user['client-certificate-data']),
    bytesOf(user['client-key'], user['client-key-data']),
  ])
  return { ...(cert && { cert }), ...(key && { key }) }
}

async function bytesOf(file: string | undefined, data: string | undefined): Promise<string | undefined> {
  if (data) return Buffer.from(data, 'base64').toString()
  return file ? readFile(file, 'utf8') : undefined
}

/** The file goes before the token, which is for a file that cannot be read or is empty. */
async function tokenOf({ token, tokenFile }: KubeconfigUser): Promise<string | undefined> {
  if (!tokenFile) return token || undefined
  try {
    const text = (await readFile(tokenFile, 'utf8')).trim()
    if (text !== '') return text
  } catch (cause) {
    if (!token) throw cause
  }
  if (!token) throw new Error(`its tokenFile ${tokenFile} is empty`)
  return token
}

function authorization(
  { username, password = '' }: KubeconfigUser,
  token: string | undefined,
): Record<string, string> {
  if (token !== undefined) return { authorization: utf8Header(`Bearer ${token}`) }
  if (!username) return {}
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** A plugin is not run again for the sake of files that are read with it. */
function expiryOf(cluster: KubeconfigCluster, user: KubeconfigUser): number | undefined {
  const files = [
    cluster['certificate-authority'],
    user.tokenFile,
    user['client-certificate'],
    user['client-key'],
  ]
  return files.some(Boolean) ? Date.now() + FILES_MAX_AGE_MS : undefined
}

/** Headers by which a user acts as another one (client-go's transport/round_trippers.go). */
function impersonationHeaders(user: KubeconfigUser): Record<string, string | readonly string[]> {
  if (!user.as) return {}
  const { 'as-uid': uid, 'as-groups': groups = [], 'as-user-extra': extra = {} } = user
  const extras = Object.entries(extra).map(([key, values]) => [
    `impersonate-extra-${escapeKey(key)}`,
    values.map(utf8Header),
  ])
  return {
    'impersonate-user': utf8Header(user.as),
    ...(uid && { 'impersonate-uid': utf8Header(uid) }),
    ...(groups.length > 0 && { 'impersonate-group': groups.map(utf8Header) }),
    ...Object.fromEntries(extras),
  }
}

/** Go writes headers in UTF-8, Node in Latin-1. */
const utf8Header = (text: string): string => Buffer.from(text).toString('latin1')

/** Escapes what a header's name cannot hold, and % as it escapes. */
const escapeKey = (key: string): string =>
  utf8Header(key).replace(
    /[^!#$&'*+\-.^_`|~\w]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )

const PLUGINS: Readonly<Record<string, string>> = { gcp: 'gke-gcloud-auth-plugin', azure: 'kubelogin' }
/** A token is renewed this much before its end. */
const LEEWAY_MS = 10_000

/**
 * Refuses every auth-provider but `oidc`, the only one that client-go still has.
 * @throws Error with the plugin that took the place of a provider
 */
function assertAuthProvider({ 'auth-provider': provider }: KubeconfigUser): void {
  if (provider === undefined) return
  const { name = '', config = {} } = provider
  const plugin = PLUGINS[name]
  if (plugin !== undefined)
    throw new Error(`the auth-provider ${name} was removed from Kubernetes: use the exec plugin ${plugin}`)
  if (name !== 'oidc')
    throw new Error(`there is no auth-provider "${name}": use an exec plugin of its vendor`)
  for (const key of ['idp-issuer-url', 'client-id'])
    if (!config[key]) throw new Error(`its auth-provider oidc has no ${key}`)
}

async function oidcToken(user: KubeconfigUser): Promise<string | undefined> {
  const config = user['auth-provider']?.config
  if (config === undefined) return undefined
  const token = config['id-token'] ?? ''
  if (endOf(token) - LEEWAY_MS > Date.now()) return token
  if (!config['refresh-token'])
    throw new Error(
      'the id-token of its auth-provider oidc has expired, and there is no refresh-token: log in',
    )
  return refreshed(config)
}

/** client-node's refresh by the provider's refresh-token. */
async function refreshed(config: Readonly<Record<string, string>>): Promise<string> {
  // Loaded here only: it takes a third of a second.
  const { KubeConfig } = await import('@kubernetes/client-node')
  const library = new KubeConfig()
  const authProvider = { name: 'oidc', config: { 'id-token': 'e30.eyJleHAiOjF9.', ...config } }
  library.loadFromClusterAndUser(
    { name: 'c', server: 'https://localhost', skipTLSVerify: false },
    { name: 'u', authProvider },
  )
  const options: Parameters<typeof library.applyToHTTPSOptions>[0] = {}
  await library.applyToHTTPSOptions(options)
  const { Authorization: header } = (options.headers ?? {}) as Record<string, unknown>
  if (typeof header !== 'string') throw new Error('the id-token of its auth-provider oidc cannot be renewed')
  return header.replace(/^Bearer /, '')
}

/** Returns when a token ends, in milliseconds since the epoch; 0 if it is none. */
function endOf(token: string): number {
  const [, payload = ''] = token.split('.')
  const { exp } = recordOf(parseJson(Buffer.from(payload, 'base64url').toString()))
  return typeof exp === 'number' ? exp * 1000 : 0
}

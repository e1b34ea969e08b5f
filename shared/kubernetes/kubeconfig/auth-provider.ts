import { parseJson, recordOf } from '../../values/index.ts'
import type { KubeconfigUser } from './kubeconfig-file.ts'

const PLUGINS: Readonly<Record<string, string>> = { gcp: 'gke-gcloud-auth-plugin', azure: 'kubelogin' }
/** A token is renewed this much before its end. */
const LEEWAY_MS = 10_000

/**
 * Refuses every auth-provider but `oidc`, the only one that client-go still has.
 * @throws Error with the plugin that took the place of a provider
 */
export function assertAuthProvider({ 'auth-provider': provider }: KubeconfigUser): void {
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

export async function oidcToken(user: KubeconfigUser): Promise<string | undefined> {
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

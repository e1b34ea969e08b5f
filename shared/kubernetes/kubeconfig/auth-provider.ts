import type { KubeconfigUser } from './kubeconfig-file.ts'

const PLUGINS: Readonly<Record<string, string>> = { gcp: 'gke-gcloud-auth-plugin', azure: 'kubelogin' }
/** A token counts as expired this much before its end. */
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

/** Returns the token of the auth-provider `oidc`, which only its exec plugin renews. */
export function oidcToken(user: KubeconfigUser): string | undefined {
  const config = user['auth-provider']?.config
  if (config === undefined) return undefined
  const token = config['id-token'] ?? ''
  if (endOf(token) - LEEWAY_MS > Date.now()) return token
  throw new Error(
    'the id-token of its auth-provider oidc has expired: log in, or use the exec plugin kubelogin, which renews it',
  )
}

/** Returns when a token ends, in milliseconds since the epoch; 0 if it is none. */
function endOf(token: string): number {
  try {
    const [, payload = ''] = token.split('.')
    const { exp }: { exp?: unknown } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return typeof exp === 'number' ? exp * 1000 : 0
  } catch {
    return 0
  }
}

import { X509Certificate } from 'node:crypto'
import { type Credentials, UnauthorizedError } from '../../../shared/kubernetes/index.ts'
import { parseJson, recordOf } from '../../../shared/values/index.ts'
import { durationText } from '../../terminal/index.ts'
import { type Check, type CheckContext, type Finding, failure, ok, warning } from '../check.ts'

/** Milliseconds until expiry below which credentials without renewal cause a warning. */
const ENDS_SOON_MS = 24 * 3_600_000

export const CREDENTIALS_CHECKS: readonly Check[] = [
  { name: 'credentials', run: checkExpiry },
  { name: 'user', isGate: true, run: askWhoAmI },
]

interface Expiry {
  readonly what: 'token' | 'client certificate'
  /** Milliseconds since the epoch. */
  readonly at: number
}

async function checkExpiry({ cluster, now }: CheckContext): Promise<Finding> {
  const credentials = await cluster.credentials()
  const expiry = expiryOf(credentials)
  if (expiry === undefined) return ok(`${kindOf(credentials)}, whose expiry is not known`)
  const { what, at } = expiry
  const left = at - now()
  const time = new Date(at).toISOString()
  // A plugin, or a file that is read again, brings new ones.
  const isRenewed = credentials.expiresAt !== undefined
  if (left <= 0)
    return failure(
      `the ${what} of context ${cluster.name} has expired: it ended at ${time}`,
      renewal(what, cluster.name),
    )
  if (isRenewed) return ok(`the ${what} ends in ${durationText(left)} (${time}), and is read again before`)
  if (left > ENDS_SOON_MS) return ok(`the ${what} ends in ${durationText(left)} (${time})`)
  return warning(
    `the ${what} ends in ${durationText(left)} (${time}), and nothing renews it: a run that is going on would stop working then`,
    renewal(what, cluster.name),
  )
}

const renewal = (what: Expiry['what'], context: string): string =>
  what === 'token'
    ? `log in again, or give the user of context ${context} a tokenFile that is renewed, or an exec plugin: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins`
    : `issue a new client certificate for the user of context ${context}: on kubeadm, kubeadm kubeconfig user --client-name NAME`

function expiryOf({ headers, cert }: Credentials): Expiry | undefined {
  const { authorization } = headers
  const token = /^Bearer (.+)$/.exec(typeof authorization === 'string' ? authorization : '')?.[1]
  if (token !== undefined) {
    const at = tokenExpiry(token)
    return at === undefined ? undefined : { what: 'token', at }
  }
  if (cert === undefined) return undefined
  return { what: 'client certificate', at: Date.parse(new X509Certificate(cert).validTo) }
}

/**
 * Reads `exp` of a JSON Web Token, whose signature is for the server to verify. One that is no date, such as
 * the largest number that there is, means that it does not end.
 */
function tokenExpiry(token: string): number | undefined {
  const [, claims = ''] = token.split('.')
  const { exp } = recordOf(parseJson(Buffer.from(claims, 'base64url').toString()))
  const at = typeof exp === 'number' ? new Date(exp * 1_000).getTime() : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

function kindOf({ headers, cert }: Credentials): string {
  if (headers.authorization !== undefined)
    return String(headers.authorization).startsWith('Basic ') ? 'a user name and a password' : 'a token'
  return cert === undefined ? 'no credentials' : 'a client certificate'
}

async function askWhoAmI({ cluster }: CheckContext): Promise<Finding> {
  try {
    const { username = '', groups: some = [] } = await cluster.whoAmI()
    const groups = some.filter((group) => group !== '')
    if (username === 'system:anonymous')
      return failure(
        'the server does not know these credentials: we are system:anonymous',
        `give the user of context ${cluster.name} a token or a client certificate`,
      )
    const impersonator = (await cluster.credentials()).headers['impersonate-user'] !== undefined
    const of = groups.length === 0 ? '' : ` of ${groups.join(', ')}`
    return ok(`${username}${of}${impersonator ? ', by impersonation' : ''}`)
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
    return failure(
      'the server refuses the credentials (401)',
      `log in again, or renew the token or certificate of the user of context ${cluster.name}; kubectl says the same: ${cluster.kubectl} auth whoami`,
    )
  }
}

export const IDENTITY_CHECKS: readonly Check[] = [{ name: 'identity', run: identify }]

async function identify({ cluster, sameClusters }: CheckContext): Promise<Finding> {
  const same = (await sameClusters()).find((each) => each.cluster === cluster.name)
  if (same !== undefined)
    return failure(
      same.message,
      `name this cluster once: leave --context ${cluster.name} out, or have it lead elsewhere`,
    )
  const uid = await cluster.uid()
  if (uid !== undefined) return ok(`no other one here; kube-system has the uid ${uid}`)
  return warning(
    'the namespace kube-system may not be read: this cluster is identified by its address and certificate authority alone',
    await cluster.grant([]),
  )
}

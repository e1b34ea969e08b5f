import * as v from 'valibot'
import type { ClusterConnection, Credentials } from '../kubernetes/index.ts'
import { safeParse, strictObject } from '../schema/index.ts'
import { isRecent, parseJson } from '../values/index.ts'
import type { SecretClusterConfig } from './config.ts'
import type { ConnectionOptions } from './eks-connection.ts'
import { ClusterConfigError } from './errors.ts'

/** A rotated token is taken up within this time even where the old one still works. */
const MAX_AGE_MS = 5 * 60_000
/** A token that the server refuses must not cause a request to Secrets Manager for each call. */
const MIN_AGE_MS = 10_000

const PEM = '-----BEGIN CERTIFICATE-----'

const SECRET = strictObject({
  server: v.pipe(
    v.string('must be given: the URL of the API server'),
    v.check((text) => URL.canParse(text), 'must be a URL such as "https://10.0.0.1:6443"'),
    v.check(
      (text) => ['https:', undefined].includes(URL.parse(text)?.protocol),
      'must be an https URL: tokens are sent over TLS only',
    ),
  ),
  ca: v.pipe(
    v.string(
      'must be given: the certificate authority of the API server as PEM text, or that in base64 as kubeconfigs have it',
    ),
    v.transform(pemOf),
    v.check((text) => text.includes(PEM), `must be PEM text that has "${PEM}", or that in base64`),
  ),
  token: v.pipe(
    v.string('must be given: a bearer token, such as that of a ServiceAccount'),
    v.regex(/^[\x21-\x7e]+$/, 'must be a bearer token: printable characters without spaces'),
  ),
})

function pemOf(text: string): string {
  return text.includes('-----') ? text : Buffer.from(text, 'base64').toString()
}

/** Connects to any cluster, by a secret with the JSON text `{server, ca, token}`. */
export function secretConnection(
  { name, secretArn }: SecretClusterConfig,
  { aws, logger }: ConnectionOptions,
): ClusterConnection {
  let known: { readonly credentials: Credentials; readonly readAt: number } | undefined

  async function read(): Promise<Credentials> {
    const { server, ca, token } = parseSecret(name, secretArn, await aws.secretText(secretArn))
    return {
      server: new URL(server),
      ca,
      headers: { authorization: `Bearer ${token}` },
      expiresAt: Date.now() + MAX_AGE_MS,
    }
  }

  return {
    name,
    server: new URL(`https://${encodeURIComponent(name)}.secret.invalid`),
    async credentials() {
      if (known !== undefined && isRecent(known.readAt, MIN_AGE_MS)) return known.credentials
      try {
        known = { credentials: await read(), readAt: Date.now() }
      } catch (err) {
        // An invalid secret is logged, and the last valid credentials are used as long as they work.
        if (known === undefined) throw err
        logger.warn({ cluster: name, err }, 'continuing with the last contents of the secret')
        known = {
          credentials: { ...known.credentials, expiresAt: Date.now() + MAX_AGE_MS },
          readAt: Date.now(),
        }
      }
      return known.credentials
    },
  }
}

/** @throws ClusterConfigError that names the field and never quotes the secret */
function parseSecret(name: string, secretArn: string, text: string): v.InferOutput<typeof SECRET> {
  const where = `cluster "${name}": secret ${secretArn}`
  const value = parseJson(text)
  if (value === undefined) {
    const advice = /^[ \t]{0,8}(apiVersion|kind|clusters|users):/m.test(text)
      ? 'it is a kubeconfig, and functions run no exec plugins'
      : 'its text is not JSON'
    throw new ClusterConfigError(`${where}: ${advice}; give {"server": …, "ca": …, "token": …}`)
  }
  const result = safeParse(SECRET, value)
  if (result.success) return result.data
  const problems = result.issues.map(({ path, message, unknownMembers }) =>
    unknownMembers
      ? `${unknownMembers.join(', ')} is not known${unknownMembers.some((name) => ['exec', 'users', 'clusters'].includes(name)) ? ': functions run no exec plugins' : ''}`
      : `${path.join('.') || 'the value'} ${message}`,
  )
  throw new ClusterConfigError(`${where}: ${problems.join('; ')}; give {"server": …, "ca": …, "token": …}`)
}

import * as z from 'zod/mini'
import { within } from '../kubernetes/index.ts'
import { safeParse } from '../schema/index.ts'
import { ClusterAccessError } from './errors.ts'
import { once } from './once.ts'

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly expiration?: Date
}

/** A role to be in, and where; without a role: as the function itself. */
export interface AwsPlace {
  readonly region: string
  readonly roleArn?: string
  readonly externalId?: string
}

/** What EKS tells of a cluster. */
export interface EksDescription {
  readonly endpoint: URL
  /** PEM text. */
  readonly ca: string
  readonly tags: Readonly<Record<string, string>>
}

/** The few things that are asked of AWS. Every answer is checked; every failure is a {@link ClusterAccessError}. */
export interface Aws {
  credentials(place: AwsPlace): Promise<AwsCredentials>
  describeCluster(name: string, place: AwsPlace): Promise<EksDescription>
  listClusters(place: AwsPlace): Promise<readonly string[]>
  /** The text of a secret's current version. */
  secretText(arn: string): Promise<string>
}

/** A request may take so long with all its tries, in milliseconds: the SDK itself waits for an answer for ever. */
const REQUEST_TIMEOUT_MS = 20_000

/** Assumed roles last an hour by default; new ones are asked for this much earlier. */
const RENEW_MS = 5 * 60_000

const DESCRIPTION = z.object({
  status: z.string(),
  endpoint: z.url({ protocol: /^https$/, error: 'has no https endpoint' }),
  certificateAuthority: z.object(
    { data: z.base64('is not base64').check(z.minLength(1)) },
    'has no certificate authority',
  ),
  tags: z.optional(z.record(z.string(), z.string())),
})

const ROLE_CREDENTIALS = z.object({
  AccessKeyId: z.string().check(z.minLength(1)),
  SecretAccessKey: z.string().check(z.minLength(1)),
  SessionToken: z.string().check(z.minLength(1)),
  Expiration: z.date(),
})

/**
 * AWS by its SDK, whose clients are loaded when they are first needed: a function whose clusters are all of one kind
 * starts without the others.
 */
export function createAws(): Aws {
  const assumed = new Map<string, Promise<AwsCredentials>>()
  const own = once(async () => {
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node')
    return defaultProvider()
  })

  async function credentials(place: AwsPlace): Promise<AwsCredentials> {
    if (place.roleArn === undefined)
      return ask('find credentials of its own', async () => (await own())(), 'give it a role')
    const key = JSON.stringify([place.roleArn, place.externalId, place.region])
    const known = await assumed.get(key)
    if (known?.expiration !== undefined && known.expiration.getTime() - RENEW_MS > Date.now()) return known
    const fresh = assumeRole(place.roleArn, place)
    assumed.set(key, fresh)
    fresh.catch(() => assumed.delete(key))
    return fresh
  }

  async function assumeRole(roleArn: string, { region, externalId }: AwsPlace): Promise<AwsCredentials> {
    const { AssumeRoleCommand, STSClient } = await import('@aws-sdk/client-sts')
    const client = new STSClient({ region, credentials: await own() })
    const command = new AssumeRoleCommand({
      RoleArn: roleArn,
      RoleSessionName: 'sliceflow',
      ExternalId: externalId,
    })
    const action = `assume role ${roleArn}`
    const answer = await ask(
      action,
      (abortSignal) => client.send(command, { abortSignal }),
      'let its trust policy name the role of this function or task',
    )
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = check(
      action,
      ROLE_CREDENTIALS,
      answer.Credentials,
    )
    return {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      sessionToken: SessionToken,
      expiration: Expiration,
    }
  }

  async function eksClient(place: AwsPlace) {
    const { EKSClient } = await import('@aws-sdk/client-eks')
    return new EKSClient({ region: place.region, credentials: () => credentials(place) })
  }

  return {
    credentials,
    async describeCluster(name, place) {
      const { DescribeClusterCommand } = await import('@aws-sdk/client-eks')
      const client = await eksClient(place)
      const action = `describe EKS cluster ${name} in ${place.region}`
      const advice = 'check the name and the region, and allow eks:DescribeCluster'
      const { cluster } = await ask(
        action,
        (abortSignal) => client.send(new DescribeClusterCommand({ name }), { abortSignal }),
        advice,
      )
      const { endpoint, certificateAuthority, tags = {} } = check(action, DESCRIPTION, cluster)
      return {
        endpoint: new URL(endpoint),
        ca: Buffer.from(certificateAuthority.data, 'base64').toString(),
        tags,
      }
    },
    async listClusters(place) {
      const { paginateListClusters } = await import('@aws-sdk/client-eks')
      const client = await eksClient(place)
      return ask(
        `list EKS clusters in ${place.region}`,
        async (abortSignal) => {
          const names: string[] = []
          for await (const { clusters = [] } of paginateListClusters({ client }, {}, { abortSignal }))
            names.push(...clusters)
          return names
        },
        'allow eks:ListClusters',
      )
    },
    async secretText(arn) {
      const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager')
      const client = new SecretsManagerClient({ region: arn.split(':')[3], credentials: await own() })
      const action = `read secret ${arn}`
      const answer = await ask(
        action,
        (abortSignal) => client.send(new GetSecretValueCommand({ SecretId: arn }), { abortSignal }),
        'check the ARN, and allow secretsmanager:GetSecretValue (and kms:Decrypt for a key of your own)',
      )
      return check(action, z.string('the secret has no text'), answer.SecretString)
    },
  }
}

/** Also what looks for credentials before the request has no longer than that. */
async function ask<T>(
  action: string,
  request: (abortSignal: AbortSignal) => Promise<T>,
  advice: string,
): Promise<T> {
  const ending = new AbortController()
  const late = (): Error => new Error(`no answer within ${REQUEST_TIMEOUT_MS / 1000} s`)
  try {
    return await within(request(ending.signal), { ms: REQUEST_TIMEOUT_MS, late })
  } catch (cause) {
    if (cause instanceof ClusterAccessError) throw cause
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    throw new ClusterAccessError(`failed to ${action}: ${reason}; ${advice}`, { cause })
  } finally {
    ending.abort()
  }
}

/** Without the answer itself in the error: it may hold a secret. */
function check<T>(action: string, schema: z.ZodMiniType<T>, answer: unknown): T {
  const result = safeParse(schema, answer)
  if (result.success) return result.data
  const status = (answer as { status?: unknown } | null | undefined)?.status
  const problems = result.error.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(' '),
  )
  const told = typeof status === 'string' && status !== 'ACTIVE' ? ` (its status is ${status})` : ''
  throw new ClusterAccessError(
    `failed to ${action}: the answer cannot be used: ${problems.join('; ')}${told}`,
  )
}

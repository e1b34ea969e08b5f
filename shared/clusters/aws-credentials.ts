import * as v from 'valibot'
import { within } from '../kubernetes/index.ts'
import { awsClientOptions } from '../proxy/index.ts'
import { object, safeParse } from '../schema/index.ts'
import { once } from '../values/index.ts'
import { ClusterAccessError } from './errors.ts'

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

/** Seconds for which a role is assumed: the default, which every role allows. */
const ASSUMED_SECONDS = 3_600
/** A role is assumed again this many milliseconds before that ends. */
const RENEW_MS = 5 * 60_000

interface AssumedRole {
  readonly credentials: Promise<AwsCredentials>
  /** When it was asked for, by `performance.now`: the wall clock may be set back. */
  readonly askedAt: number
}

const TEXT = v.pipe(v.string(), v.minLength(1))
const ROLE_CREDENTIALS = v.pipe(
  object({ AccessKeyId: TEXT, SecretAccessKey: TEXT, SessionToken: TEXT, Expiration: v.date() }),
  v.transform(({ AccessKeyId, SecretAccessKey, SessionToken, Expiration }) => ({
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: SessionToken,
    expiration: Expiration,
  })),
)

/** Finds the function's own credentials and those of roles, cached until shortly before they expire. */
export function createAwsCredentials() {
  const assumed = new Map<string, AssumedRole>()
  /** Loads the function's own credentials. */
  const own = once(async () => {
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node')
    return defaultProvider({ clientConfig: awsClientOptions() })
  })

  /** @throws ClusterAccessError */
  async function credentials(place: AwsPlace): Promise<AwsCredentials> {
    if (place.roleArn === undefined)
      return ask('find credentials of its own', async () => (await own())(), 'give it a role')
    const key = JSON.stringify([place.roleArn, place.externalId, place.region])
    const known = assumed.get(key)
    if (known !== undefined && (await lasts(known))) return known.credentials
    const fresh = assumeRole(place.roleArn, place)
    assumed.set(key, { credentials: fresh, askedAt: performance.now() })
    fresh.catch(() => assumed.delete(key))
    return fresh
  }

  async function assumeRole(roleArn: string, { region, externalId }: AwsPlace): Promise<AwsCredentials> {
    const { AssumeRoleCommand, STSClient } = await import('@aws-sdk/client-sts')
    const client = new STSClient({ ...awsClientOptions(), region, credentials: await own() })
    const input = {
      RoleArn: roleArn,
      RoleSessionName: 'sliceflow',
      ExternalId: externalId,
      DurationSeconds: ASSUMED_SECONDS,
    }
    const action = `assume role ${roleArn}`
    const answer = await ask(
      action,
      (abortSignal) => client.send(new AssumeRoleCommand(input), { abortSignal }),
      'let its trust policy name the role of this function or task',
    )
    return check(action, ROLE_CREDENTIALS, answer.Credentials)
  }

  return { own, credentials }
}

/** Reports whether both clocks leave time: the monotonic one may stand still while a function is frozen. */
async function lasts({ credentials, askedAt }: AssumedRole): Promise<boolean> {
  const { expiration } = await credentials
  const isHeld = performance.now() - askedAt < ASSUMED_SECONDS * 1000 - RENEW_MS
  return isHeld && expiration !== undefined && expiration.getTime() - RENEW_MS > Date.now()
}

/** Maximum milliseconds of a request with all its attempts: the SDK itself has no time limit. */
const REQUEST_TIMEOUT_MS = 20_000

/** Asks AWS within a time limit, which the search for credentials before the request shares. */
export async function ask<T>(
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

/** Checks an answer. The error leaves out the answer itself, which may hold a secret. */
export function check<T>(action: string, schema: v.GenericSchema<unknown, T>, answer: unknown): T {
  const result = safeParse(schema, answer)
  if (result.success) return result.data
  const status = (answer as { status?: unknown } | null | undefined)?.status
  const problems = result.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(' '),
  )
  const note = typeof status === 'string' && status !== 'ACTIVE' ? ` (its status is ${status})` : ''
  throw new ClusterAccessError(
    `failed to ${action}: the answer cannot be used: ${problems.join('; ')}${note}`,
  )
}

import * as v from 'valibot'
import { awsClientOptions } from '../proxy/index.ts'
import { object } from '../schema/index.ts'
import { once } from '../values/index.ts'
import { ask, check } from './ask-aws.ts'

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

/** Assumed roles last an hour by default; new ones are asked for this much earlier. */
const RENEW_MS = 5 * 60_000

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

/**
 * Finds credentials: those of the function itself, and those of roles, cached until shortly before they
 * expire.
 */
export function createAwsCredentials() {
  const assumed = new Map<string, Promise<AwsCredentials>>()
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
    const known = await assumed.get(key)
    if (known?.expiration !== undefined && known.expiration.getTime() - RENEW_MS > Date.now()) return known
    const fresh = assumeRole(place.roleArn, place)
    assumed.set(key, fresh)
    fresh.catch(() => assumed.delete(key))
    return fresh
  }

  async function assumeRole(roleArn: string, { region, externalId }: AwsPlace): Promise<AwsCredentials> {
    const { AssumeRoleCommand, STSClient } = await import('@aws-sdk/client-sts')
    const client = new STSClient({ ...awsClientOptions(), region, credentials: await own() })
    const input = { RoleArn: roleArn, RoleSessionName: 'sliceflow', ExternalId: externalId }
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

import { createHash, createHmac } from 'node:crypto'
import type { AwsCredentials } from './aws-credentials.ts'

interface EksTokenOptions {
  readonly clusterName: string
  readonly region: string
  /** Host name of STS in the region, such as `sts.eu-west-1.amazonaws.com`. */
  readonly stsHost: string
  readonly credentials: AwsCredentials
  /** Time of signing, in milliseconds since the epoch; default: now. */
  readonly now?: number
}

/** Milliseconds for which a token is cached: aws-iam-authenticator accepts it for 15 minutes. */
const LIFETIME_MS = 14 * 60_000
/** Expiry that the AWS CLI sets; the authenticator ignores it. */
const URL_EXPIRES_SECONDS = 60
const EMPTY_BODY = createHash('sha256').digest('hex')
const ALGORITHM = 'AWS4-HMAC-SHA256'

/**
 * Makes the token of `aws eks get-token` without a request: a presigned STS GetCallerIdentity URL (Signature
 * Version 4) that signs the cluster's name in the header `x-k8s-aws-id`, so that it is of no use to a cluster
 * of another name. Clusters of the same name in other regions or accounts take it, if they let the role in:
 * the authenticator knows a cluster by its name alone.
 * @returns a bearer token that an EKS API server accepts, and its end in milliseconds since the epoch
 */
export function createEksToken({
  clusterName,
  region,
  stsHost: host,
  credentials,
  now = Date.now(),
}: EksTokenOptions) {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '')
  const date = time.slice(0, 8)
  const scope = `${date}/${region}/sts/aws4_request`
  const query = queryText({
    Action: 'GetCallerIdentity',
    Version: '2011-06-15',
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${credentials.accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(URL_EXPIRES_SECONDS),
    ...(credentials.sessionToken !== undefined && { 'X-Amz-Security-Token': credentials.sessionToken }),
    'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
  })
  const request = [
    'GET',
    '/',
    query,
    `host:${host}`,
    `x-k8s-aws-id:${clusterName}`,
    '',
    'host;x-k8s-aws-id',
    EMPTY_BODY,
  ].join('\n')
  const toSign = [ALGORITHM, time, scope, createHash('sha256').update(request).digest('hex')].join('\n')
  let key: string | Buffer = `AWS4${credentials.secretAccessKey}`
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest()
  const signature = createHmac('sha256', key).update(toSign).digest('hex')
  const url = `https://${host}/?${query}&X-Amz-Signature=${signature}`
  const ends = credentials.expiration?.getTime() ?? Number.POSITIVE_INFINITY
  return {
    token: `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`,
    expiresAt: Math.min(now + LIFETIME_MS, ends),
  }
}

/** Writes parameters as a query, in ASCII order as they are given: Signature Version 4 sorts by name. */
const queryText = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encode(value)}`)
    .join('&')

/** Encodes a value as RFC 3986 asks; encodeURIComponent leaves five characters as they are. */
const encode = (value: string): string =>
  encodeURIComponent(value).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

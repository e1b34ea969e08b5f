import * as z from 'zod/mini'
import { awsClientOptions } from '../proxy/index.ts'
import { ask, check } from './ask-aws.ts'
import { type AwsCredentials, type AwsPlace, createAwsCredentials } from './aws-credentials.ts'
import type { ClusterAccessError } from './errors.ts'

/** Description of a cluster as EKS gives it. */
export interface EksDescription {
  readonly endpoint: URL
  /** PEM text. */
  readonly ca: string
  readonly tags: Readonly<Record<string, string>>
}

/**
 * The few things that are asked of AWS. Every answer is checked; every failure is a
 * {@link ClusterAccessError}.
 */
export interface Aws {
  credentials(place: AwsPlace): Promise<AwsCredentials>
  describeCluster(name: string, place: AwsPlace): Promise<EksDescription>
  listClusters(place: AwsPlace): Promise<readonly string[]>
  /** Returns the host name of the region's STS, by the SDK's rules of all partitions. */
  stsHost(region: string): Promise<string>
  /** Reads the text of a secret's current version. */
  secretText(arn: string): Promise<string>
}

const DESCRIPTION = z.object({
  status: z.string(),
  endpoint: z.url({ protocol: /^https$/, error: 'has no https endpoint' }),
  certificateAuthority: z.object(
    { data: z.base64('is not base64').check(z.minLength(1)) },
    'has no certificate authority',
  ),
  tags: z.optional(z.record(z.string(), z.string())),
})

/**
 * Creates access to AWS by its SDK, whose clients are loaded when they are first needed: a function whose
 * clusters are all of one kind starts without the others.
 */
export function createAws(): Aws {
  const { own, credentials } = createAwsCredentials()

  async function eksClient(place: AwsPlace) {
    const { EKSClient } = await import('@aws-sdk/client-eks')
    return new EKSClient({
      ...awsClientOptions(),
      region: place.region,
      credentials: () => credentials(place),
    })
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
    async stsHost(region) {
      const { EKSClient } = await import('@aws-sdk/client-eks')
      const { endpointProvider } = new EKSClient({ region }).config
      const { url } = endpointProvider({ Region: region, UseFIPS: false, UseDualStack: false })
      return url.hostname.replace(/^eks\./, 'sts.')
    },
    async secretText(arn) {
      const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager')
      const client = new SecretsManagerClient({
        ...awsClientOptions(),
        region: arn.split(':')[3],
        credentials: await own(),
      })
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

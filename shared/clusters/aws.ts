import type { ResourceTagMapping } from '@aws-sdk/client-resource-groups-tagging-api'
import * as v from 'valibot'
import { awsClientOptions } from '../proxy/index.ts'
import { object, url } from '../schema/index.ts'
import { type AwsCredentials, type AwsPlace, ask, check, createAwsCredentials } from './aws-credentials.ts'
import type { ClusterAccessError } from './errors.ts'

export interface EksDescription {
  readonly endpoint: URL
  /** PEM text. */
  readonly ca: string
}

/** A tag by which clusters are searched for. */
export interface ClusterTag {
  readonly tagKey: string
  /** Default: any value. */
  readonly tagValue?: string | undefined
}

/** A cluster that has a tag, with all of its tags. */
export interface TaggedCluster {
  readonly arn: string
  readonly region: string
  readonly account: string
  /** Its name in EKS: unique in its account and region alone. */
  readonly clusterName: string
  readonly tags: Readonly<Record<string, string>>
}

/** What Sliceflow asks of AWS. Every answer is checked; a failure is a {@link ClusterAccessError}. */
export interface Aws {
  credentials(place: AwsPlace): Promise<AwsCredentials>
  describeCluster(name: string, place: AwsPlace): Promise<EksDescription>
  /** Finds the EKS clusters of one account and region that have a tag. */
  taggedClusters(tag: ClusterTag, place: AwsPlace): Promise<readonly TaggedCluster[]>
  /** Returns the host name of the region's STS, by the SDK's rules of all partitions. */
  stsHost(region: string): Promise<string>
  /** Reads the text of a secret's current version. */
  secretText(arn: string): Promise<string>
}

const DESCRIPTION = object({
  status: v.string(),
  endpoint: url(/^https:\/\//i, 'has no https endpoint'),
  certificateAuthority: object(
    { data: v.pipe(v.string('is not base64'), v.base64('is not base64'), v.minLength(1, 'is not base64')) },
    'has no certificate authority',
  ),
})

const CLUSTER_ARN = /^arn:[^:]+:eks:(?<region>[^:]+):(?<account>\d{12}):cluster\/(?<clusterName>.+)$/
const TAGGED = object({
  ResourceARN: v.pipe(v.string(), v.regex(CLUSTER_ARN, 'is not the ARN of an EKS cluster')),
  Tags: v.optional(v.array(object({ Key: v.string(), Value: v.string() }))),
})
/** Maximum of the API. */
const RESOURCES_PER_PAGE = 100

/**
 * Creates access to AWS by its SDK, whose clients are loaded when they are first needed: a function whose
 * clusters are all of one kind starts without the others.
 */
export function createAws(): Aws {
  const { own, credentials } = createAwsCredentials()

  const clientOptions = (place: AwsPlace) => ({
    ...awsClientOptions(),
    region: place.region,
    credentials: () => credentials(place),
  })

  return {
    credentials,
    async describeCluster(name, place) {
      const { DescribeClusterCommand, EKSClient } = await import('@aws-sdk/client-eks')
      const client = new EKSClient(clientOptions(place))
      const action = `describe EKS cluster ${name} in ${place.region}`
      const advice = 'check the name and the region, and allow eks:DescribeCluster'
      const { cluster } = await ask(
        action,
        (abortSignal) => client.send(new DescribeClusterCommand({ name }), { abortSignal }),
        advice,
      )
      const { endpoint, certificateAuthority } = check(action, DESCRIPTION, cluster)
      return {
        endpoint: new URL(endpoint),
        ca: Buffer.from(certificateAuthority.data, 'base64').toString(),
      }
    },
    async taggedClusters({ tagKey, tagValue }, place) {
      const api = await import('@aws-sdk/client-resource-groups-tagging-api')
      const client = new api.ResourceGroupsTaggingAPIClient(clientOptions(place))
      const action = `find EKS clusters with the tag ${tagKey} in ${place.region}`
      const found = await ask(
        action,
        async (abortSignal) => {
          const pages = api.paginateGetResources(
            { client },
            {
              ResourceTypeFilters: ['eks:cluster'],
              TagFilters: [{ Key: tagKey, ...(tagValue !== undefined && { Values: [tagValue] }) }],
              ResourcesPerPage: RESOURCES_PER_PAGE,
            },
            { abortSignal },
          )
          const all: ResourceTagMapping[] = []
          for await (const { ResourceTagMappingList = [] } of pages) all.push(...ResourceTagMappingList)
          return all
        },
        'allow tag:GetResources',
      )
      return check(action, v.array(TAGGED), found).map(taggedCluster)
    },
    async stsHost(region) {
      const { EKSClient } = await import('@aws-sdk/client-eks')
      const { endpointProvider } = new EKSClient({ region }).config
      const { url: address } = endpointProvider({ Region: region, UseFIPS: false, UseDualStack: false })
      return address.hostname.replace(/^eks\./, 'sts.')
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
      return check(action, v.string('the secret has no text'), answer.SecretString)
    },
  }
}

function taggedCluster({ ResourceARN: arn, Tags = [] }: v.InferOutput<typeof TAGGED>): TaggedCluster {
  const { region = '', account = '', clusterName = '' } = CLUSTER_ARN.exec(arn)?.groups ?? {}
  return {
    ...{ arn, region, account, clusterName },
    tags: Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value])),
  }
}

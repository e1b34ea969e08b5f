import { CfnOutput, Stack, Token } from 'aws-cdk-lib'
import type { Dashboard } from 'aws-cdk-lib/aws-cloudwatch'
import type { Role } from 'aws-cdk-lib/aws-iam'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { RegionInfo } from 'aws-cdk-lib/region-info'
import type { Construct } from 'constructs'
import { STACK_OUTPUTS } from '../../functions/environment/index.ts'
import { writerName } from '../../shared/changes/index.ts'
import type { ClusterConfig } from '../../shared/clusters/index.ts'
import { contentDigest } from '../../shared/settings/index.ts'
import type { DeploymentSettings } from '../settings/index.ts'
import { type ClusterUser, kubernetesGroup } from './access/cluster-access.ts'
import type { FixedEgress } from './network/vpc.ts'
import { outputId, roleOutput } from './output-names.ts'
import type { KeyQueue } from './queues/key-queue.ts'
import type { Recordings } from './recordings.ts'

/** Consoles by partition; those of isolated partitions are not public. */
const CONSOLES: Readonly<Record<string, string>> = {
  aws: 'console.aws.amazon.com',
  'aws-cn': 'console.amazonaws.cn',
  'aws-us-gov': 'console.amazonaws-us-gov.com',
  'aws-eusc': 'console.amazonaws-eusc.eu',
}

/** Leads to a dashboard, or names it where the region is not known yet. */
export function dashboardLink(region: string, name: string): string {
  const partition = Token.isUnresolved(region) ? undefined : RegionInfo.get(region).partition
  const host = partition && CONSOLES[partition]
  return host === undefined
    ? `${name}, in the CloudWatch console of region ${region}`
    : `https://${region}.${host}/cloudwatch/home?region=${region}#dashboards/dashboard/${name}`
}

interface OutputsProps {
  readonly clusters: readonly ClusterConfig[]
  readonly deployment: string
  readonly settings: DeploymentSettings
  /** Queues by the names that `STACK_OUTPUTS` has for them. */
  readonly queues: Readonly<Partial<Record<keyof typeof STACK_OUTPUTS, KeyQueue>>>
  readonly roles: Readonly<Partial<Record<ClusterUser, Role>>>
  readonly topic: ITopic
  readonly optional: OptionalParts
}

/** Parts that not every deployment has. */
interface OptionalParts {
  readonly dashboard: Dashboard | undefined
  readonly recordings: Recordings | undefined
  /** Addresses that relay and functions come from, where these stay the same. */
  readonly egress: FixedEgress | undefined
}

/** Command that the outputs' readers call Sliceflow by: in a checkout there is no package to find. */
const COMMAND = import.meta.filename.endsWith('.ts') ? 'npm run -s sliceflow --' : 'npx sliceflow'

/** Writes outputs: what a person does next, and what programs read. */
export function writeOutputs(scope: Construct, props: OutputsProps): void {
  for (const [name, value] of Object.entries({ ...forPeople(scope, props), ...forPrograms(props) }))
    new CfnOutput(scope, name, { value }).overrideLogicalId(outputId(scope, name))
}

function forPeople(
  scope: Construct,
  { clusters, deployment, settings, roles, topic, optional }: OutputsProps,
): Record<string, string> {
  const { region } = Stack.of(scope)
  const { dashboard, recordings, egress } = optional
  const texts = rolesOf(roles).map(
    ([user, { roleArn }]) => `${roleArn} (group ${kubernetesGroup(user, settings)})`,
  )
  const rbac = `${COMMAND} rbac${settings.shadow ? ' --read-only' : ''}`
  const further = [
    ...(settings.mirrorEndpoints ? ['--mirroring'] : []),
    ...(settings.endpointSelectors
      ? [`--endpoint-selectors${settings.serviceProjection && !settings.shadow ? ' projection' : ''}`]
      : []),
  ]
  const beside = further.map((flag) => `, and ${rbac} ${flag} | kubectl apply -f -`).join('')
  return {
    Next1Rbac: `In each cluster: ${rbac} | kubectl apply -f -${beside} (the ClusterRoles, bound to the groups of the access entries)`,
    Next2Alerts: `aws sns subscribe --region ${region} --topic-arn ${topic.topicArn} --protocol email --notification-endpoint YOU@EXAMPLE.COM`,
    Next3Try:
      'kubectl annotate service NAME sliceflow.dev/selector=app=NAME (a Service without a selector), then kubectl get endpointslices',
    Deployment: deployment,
    // The same in a standby, which would otherwise publish something else.
    Writer: writerName(contentDigest(settings)),
    ...(dashboard && { Dashboard: dashboardLink(region, dashboard.dashboardName) }),
    Roles: `For access entries and trust policies of clusters elsewhere: ${texts.join(', ')}`,
    Clusters: clusters
      .map((cluster) =>
        cluster.kind === 'discover'
          ? `every EKS cluster in ${cluster.region} with the tag ${cluster.tagKey}`
          : cluster.name,
      )
      .join(', '),
    ...(egress && { PublicAccessCidrs: egress.cidrs }),
    ...(recordings && {
      History: `${COMMAND} history CLUSTER NAMESPACE/SERVICE --from ${recordings.url}`,
    }),
  }
}

function forPrograms({ queues, roles }: OutputsProps): Record<string, string> {
  const urls = (['live', 'sweep', 'viewPublisher'] as const).flatMap((name) => {
    const { queue, deadLetters } = queues[name] ?? {}
    const { queue: ofQueue, deadLetters: ofLetters } = STACK_OUTPUTS[name]
    return queue && deadLetters
      ? [[ofQueue, queue.queueUrl] as const, [ofLetters, deadLetters.queueUrl] as const]
      : []
  })
  const arns = rolesOf(roles).map(([user, { roleArn }]) => [roleOutput(user), roleArn])
  const all = rolesOf(roles).map(([, { roleArn }]) => roleArn)
  return { ...Object.fromEntries([...urls, ...arns]), RoleArns: all.join(',') }
}

const rolesOf = (roles: OutputsProps['roles']): [ClusterUser, Role][] =>
  Object.entries(roles) as [ClusterUser, Role][]

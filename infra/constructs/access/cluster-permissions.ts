import { ArnFormat, Stack } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct, IConstruct } from 'constructs'
import type { ClusterTag } from '../../../shared/clusters/index.ts'
import { accept, arnFinding } from '../findings.ts'

/** Clusters of the account that are searched for by a tag. */
export interface TagSearch extends ClusterTag {
  readonly region: string
}

/** Allows to read the address of these clusters, and of no others. */
export function describeClusters(
  scope: Construct,
  clusters: readonly { readonly region: string; readonly clusterName: string }[],
): PolicyStatement[] {
  const resources = clusters.map(({ region, clusterName }) => clusterArn(scope, region, clusterName))
  return resources.length === 0
    ? []
    : [new PolicyStatement({ actions: ['eks:DescribeCluster'], resources: [...new Set(resources)] })]
}

/** Allows to find clusters by a tag, and to read the address of those that have it. */
export function findClusters(scope: Construct, searches: readonly TagSearch[]): PolicyStatement[] {
  if (searches.length === 0) return []
  const regions = [...new Set(searches.map(({ region }) => region))]
  return [
    new PolicyStatement({
      actions: ['tag:GetResources'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:RequestedRegion': regions } },
    }),
    ...searches.map(
      ({ region, tagKey, tagValue }) =>
        new PolicyStatement({
          actions: ['eks:DescribeCluster'],
          resources: [clusterArn(scope, region, '*')],
          conditions:
            tagValue === undefined
              ? { Null: { [`aws:ResourceTag/${tagKey}`]: 'false' } }
              : { StringEquals: { [`aws:ResourceTag/${tagKey}`]: tagValue } },
        }),
    ),
  ]
}

/** States to cdk-nag why a policy with `findClusters` has wildcards. */
export function acceptSearches(policy: IConstruct, searches: readonly TagSearch[]): void {
  if (searches.length === 0) return
  accept(policy, {
    'AwsSolutions-IAM5[Resource::*]': 'GetResources of tags, as X-Ray, has no resource-level permissions',
  })
  for (const { region } of searches)
    accept(policy, {
      [arnFinding(policy, { service: 'eks', region, resource: 'cluster', resourceName: '*' })]:
        'clusters are found by a tag, and a condition restricts this to those that have it',
    })
}

const clusterArn = (scope: Construct, region: string, resourceName: string): string =>
  Stack.of(scope).formatArn({
    service: 'eks',
    region,
    resource: 'cluster',
    resourceName,
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  })

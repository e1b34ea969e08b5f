import { ArnFormat, Stack, Stage, type StageProps } from 'aws-cdk-lib'
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks'
import { AccountPrincipal, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { kubernetesGroup } from '../../infra/constructs/index.ts'
import { ACCOUNTS, EXTERNAL_ID, ROLE_NAME, THEIR_CLUSTERS } from './fleet.ts'

const USERS = ['reconcile', 'relay', 'canary'] as const

/**
 * What the account of other clusters gives: a role that only the production's own roles may assume, and its
 * access entries. It is that account's owner who deploys it, or who bootstraps it to trust this pipeline.
 */
export class TheirAccessStage extends Stage {
  constructor(
    scope: Construct,
    id: string,
    { trusted, ...stage }: StageProps & { readonly trusted: string },
  ) {
    super(scope, id, stage)
    const stack = new Stack(this, 'Access')
    const role = new Role(stack, 'Role', {
      roleName: ROLE_NAME,
      description: 'Sliceflow: reaches the clusters of this account',
      assumedBy: new AccountPrincipal(ACCOUNTS.ours).withConditions({
        StringEquals: { 'sts:ExternalId': EXTERNAL_ID },
        ArnLike: { 'aws:PrincipalArn': `arn:aws:iam::${ACCOUNTS.ours}:role/${trusted}-*` },
      }),
    })
    const clusterArn = (resourceName: string): string =>
      stack.formatArn({
        service: 'eks',
        resource: 'cluster',
        resourceName,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      })
    role.addToPolicy(
      new PolicyStatement({ actions: ['eks:DescribeCluster'], resources: THEIR_CLUSTERS.map(clusterArn) }),
    )
    for (const clusterName of THEIR_CLUSTERS)
      new CfnAccessEntry(stack, clusterName, {
        clusterName,
        principalArn: role.roleArn,
        type: 'STANDARD',
        kubernetesGroups: USERS.map((user) => kubernetesGroup(user, { shadow: false })),
      })
  }
}

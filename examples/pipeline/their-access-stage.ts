import { Stack, Stage, type StageProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
// 'sliceflow/infra' where the package is installed.
import { AccountAccess } from '../../infra/constructs/index.ts'
import { ACCOUNTS, EXTERNAL_ID, ROLE_NAME, THEIR_CLUSTERS } from './fleet.ts'

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
    new AccountAccess(new Stack(this, 'Access'), 'Clusters', {
      trusted: [`arn:aws:iam::${ACCOUNTS.ours}:role/${trusted}-*`],
      externalId: EXTERNAL_ID,
      roleName: ROLE_NAME,
      clusters: THEIR_CLUSTERS,
      users: ['reconcile', 'audit', 'relay', 'canary'],
    })
  }
}

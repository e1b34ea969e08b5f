import type { ClusterConfig } from '../../infra/constructs/index.ts'

/** Two accounts: ours, and that of a team which has clusters of its own. */
export const ACCOUNTS = { ours: '111111111111', theirs: '222222222222' } as const
export const REGIONS = { staging: 'eu-central-1', production: 'eu-west-1' } as const

/** In the other account, by a name that both sides know. */
export const ROLE_NAME = 'sliceflow-clusters'
/** Keeps the role from being used for somebody else who knows its name. */
export const EXTERNAL_ID = 'sliceflow-production'

const eks = (name: string, region: string): ClusterConfig => ({
  name,
  kind: 'eks',
  clusterName: name,
  region,
})

/** The other team's clusters, by the name that EKS has them by. */
export const THEIR_CLUSTERS = ['orders-1', 'orders-2'] as const

export const CLUSTERS = {
  staging: [eks('staging-1', REGIONS.staging)],
  /** The first of production: whatever is wrong with a version shows here. */
  first: [eks('eu-1', REGIONS.production)],
  others: [
    eks('eu-2', REGIONS.production),
    eks('eu-3', REGIONS.production),
    ...THEIR_CLUSTERS.map(
      (clusterName): ClusterConfig => ({
        name: clusterName,
        kind: 'eks',
        clusterName,
        region: REGIONS.production,
        roleArn: `arn:aws:iam::${ACCOUNTS.theirs}:role/${ROLE_NAME}`,
        externalId: EXTERNAL_ID,
      }),
    ),
  ],
} satisfies Record<string, readonly ClusterConfig[]>

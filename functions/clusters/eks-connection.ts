import type { ClusterConnection } from '../../shared/kubernetes/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import type { Aws, EksDescription } from './aws.ts'
import type { EksClusterConfig } from './config.ts'
import { createEksToken } from './eks-token.ts'

export interface ConnectionOptions {
  readonly aws: Aws
  readonly logger: Log
}

/** An endpoint never changes while a cluster lives, and its certificate authority once in years. */
const DESCRIPTION_MAX_AGE_MS = 60 * 60_000

/**
 * An EKS cluster: where it is by eks:DescribeCluster, who we are by a token that is made here.
 * @param described what EKS has just told of it, if it was asked
 */
export function eksConnection(
  config: EksClusterConfig,
  { aws, logger }: ConnectionOptions,
  described?: EksDescription,
): ClusterConnection {
  const { name, clusterName, region } = config
  let known: { readonly description: EksDescription; readonly readAt: number } | undefined = described && {
    description: described,
    readAt: Date.now(),
  }

  async function describe(): Promise<EksDescription> {
    if (known !== undefined && Date.now() - known.readAt < DESCRIPTION_MAX_AGE_MS) return known.description
    try {
      const description = await aws.describeCluster(clusterName, config)
      known = { description, readAt: Date.now() }
      return description
    } catch (err) {
      if (known === undefined) throw err
      logger.warn({ cluster: name, err }, 'going on with what EKS told of the cluster before')
      return known.description
    }
  }

  return {
    name,
    server: new URL(`https://${clusterName}.${region}.eks.amazonaws.com`),
    async credentials() {
      const [{ endpoint, ca }, credentials] = await Promise.all([describe(), aws.credentials(config)])
      const { token, expiresAt } = createEksToken({ clusterName, region, credentials })
      return { server: endpoint, ca, headers: { authorization: `Bearer ${token}` }, expiresAt }
    },
  }
}

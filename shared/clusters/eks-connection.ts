import type { ClusterConnection } from '../kubernetes/index.ts'
import type { Log } from '../telemetry/index.ts'
import { isRecent } from '../values/index.ts'
import type { Aws, EksDescription } from './aws.ts'
import type { EksClusterConfig } from './config.ts'
import { createEksToken } from './eks-token.ts'

export interface ConnectionOptions {
  readonly aws: Aws
  readonly logger: Log
}

/** An endpoint never changes while a cluster lives, and its certificate authority once in years. */
const DESCRIPTION_MAX_AGE_MS = 60 * 60_000
/** A cluster that is down must not make a request to EKS of every request to it. */
const ASK_INTERVAL_MS = 60_000

/**
 * Connects to an EKS cluster. Its address comes from eks:DescribeCluster; a token that is made
 * here authenticates us. A caller that asks again before the token expires was refused or got no answer: the
 * cluster may have been created again under its name.
 * @param described the answer of EKS, if it was just asked
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
  let askedAt = known?.readAt ?? Number.NEGATIVE_INFINITY
  let holdsUntil = Number.NEGATIVE_INFINITY

  async function describe(now: number): Promise<EksDescription> {
    const maxAgeMs = now < holdsUntil ? 0 : DESCRIPTION_MAX_AGE_MS
    if (known && (isRecent(askedAt, ASK_INTERVAL_MS, now) || isRecent(known.readAt, maxAgeMs, now)))
      return known.description
    askedAt = now
    try {
      const description = await aws.describeCluster(clusterName, config)
      known = { description, readAt: now }
      return description
    } catch (err) {
      if (known === undefined) throw err
      logger.warn({ cluster: name, err }, 'continuing with what EKS last reported of the cluster')
      return known.description
    }
  }

  return {
    name,
    server: new URL(`https://${clusterName}.${region}.eks.amazonaws.com`),
    async credentials() {
      const [{ endpoint, ca }, credentials, stsHost] = await Promise.all([
        describe(Date.now()),
        aws.credentials(config),
        aws.stsHost(region),
      ])
      const { token, expiresAt } = createEksToken({ clusterName, region, stsHost, credentials })
      holdsUntil = expiresAt
      return { server: endpoint, ca, headers: { authorization: `Bearer ${token}` }, expiresAt }
    },
  }
}

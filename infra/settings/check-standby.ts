import type { ClusterConfig } from '../../shared/clusters/index.ts'
import type { DeploymentSettings } from './deployment-settings.ts'
import { DeploymentError } from './errors.ts'

/** Parts of a deployment that matter to a standby in another region. */
export interface StandbyInput {
  /** Whether it is a standby for another deployment; default false. */
  readonly standby?: boolean
  readonly keepState?: boolean
  readonly views?: unknown
  /** Region to deploy to; default: it is not known yet. */
  readonly region?: string
}

/** @throws DeploymentError for what a standby deployment cannot do, or would lose with the other region */
export function checkStandby(
  { keepState, views, region }: StandbyInput,
  { relayStandby, shadow }: Pick<DeploymentSettings, 'relayStandby' | 'shadow'>,
  clusters: readonly ClusterConfig[],
): void {
  const wrong = [
    keepState === true && 'keepState: a standby keeps no checkpoint; leave it out',
    relayStandby && 'relayStandby: every relay of a standby deployment is a standby; leave it out',
    shadow && 'shadow: a standby cannot tell which slices are wrong while nothing is written; leave it out',
    views !== undefined && 'views: a standby feeds no view publisher; leave them out',
  ].find((problem) => problem !== false)
  if (wrong !== undefined) throw new DeploymentError(wrong)
  for (const cluster of clusters) if (cluster.kind === 'secret') checkSecret(cluster, region)
}

function checkSecret({ name, secretArn }: { name: string; secretArn: string }, region?: string): void {
  const [, , , place = ''] = secretArn.split(':')
  if (region === undefined || place === region) return
  throw new DeploymentError(
    `cluster "${name}": its secret is in ${place}, and a standby in ${region} could not read it once ${place} is lost; replicate it (aws secretsmanager replicate-secret-to-regions --region ${place} --secret-id ${secretArn} --add-replica-regions Region=${region}) and give the ARN of the replica`,
  )
}

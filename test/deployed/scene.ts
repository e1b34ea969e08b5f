import { onTestFinished, vi } from 'vitest'
import { parse } from 'yaml'
import { type EmbeddedQueue, startEmbeddedQueue } from '../../cli/local/embedded-queue/embedded-queue.ts'
import type { TestCluster } from '../end-to-end/cluster.ts'
import { FLEET_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { startSecretsManager } from './aws-stand-in.ts'
import { adminOf, defineFleet } from './objects.ts'

/** A deployment's surroundings on this machine: queues, a cluster, and the secret that describes it. */
export interface Scene {
  readonly queue: EmbeddedQueue
  readonly cluster: TestCluster
  /** Variables that CloudFormation would set for functions and the relay. */
  readonly environment: Readonly<Record<string, string>>
  /** Texts of secrets, by their ARNs. */
  readonly secrets: Map<string, string>
}

/** Options with which a cluster of a set is started. */
interface FleetStart {
  readonly roleFile: readonly string[]
  readonly crds: boolean
}

export type StartDeployed = (name: string, options?: FleetStart) => Promise<TestCluster>

export const SECRET_ARN = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:sliceflow/edge-AbCdEf'

/**
 * @param start makes the cluster, embedded or real
 * @returns what the deployed code finds around it; the SDK in this process is pointed to it too, until the
 *   test is over
 */
export async function setScene(start: (name: string) => Promise<TestCluster>): Promise<Scene> {
  const [queue, cluster, secretsManager] = await Promise.all([
    startEmbeddedQueue({ visibilityTimeoutSeconds: 60 }),
    start('edge'),
    startSecretsManager(),
  ])
  secretsManager.secrets.set(SECRET_ARN, JSON.stringify(connectionOf(cluster.user)))
  const environment = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: queue.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: queue.credentials.secretAccessKey,
    AWS_ENDPOINT_URL_SQS: queue.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManager.endpoint,
    SLICEFLOW_CLUSTERS: JSON.stringify([{ name: 'edge', kind: 'secret', secretArn: SECRET_ARN }]),
    SLICEFLOW_LIVE_QUEUE_URL: queue.lanes.live.url,
    SLICEFLOW_LIVE_DEAD_LETTERS_URL: queue.lanes.live.deadLetterUrl,
    SLICEFLOW_SWEEP_QUEUE_URL: queue.lanes.sweep.url,
    SLICEFLOW_SWEEP_DEAD_LETTERS_URL: queue.lanes.sweep.deadLetterUrl,
    SLICEFLOW_PORT: '0',
  }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await Promise.all([queue.stop(), cluster.stop(), secretsManager.stop()])
  })
  return { queue, cluster, environment, secrets: secretsManager.secrets }
}

/** Starts two clusters, edge and far, of one set, with their namespace and the definitions. */
export async function setFleetScene(start: StartDeployed): Promise<readonly [edge: Scene, far: Scene]> {
  const options = { roleFile: FLEET_ROLE_FILES, crds: true }
  const edge = await setScene((name) => start(name, options))
  const far = await start('far', options)
  onTestFinished(() => far.stop())
  const arn = SECRET_ARN.replace('edge', 'far')
  edge.secrets.set(arn, JSON.stringify(connectionOf(far.user)))
  const sets = [{ name: 'prod', clusters: [{ name: 'edge' }, { name: 'far' }] }]
  const environment = {
    ...edge.environment,
    SLICEFLOW_CLUSTERS: JSON.stringify([
      { name: 'edge', kind: 'secret', secretArn: SECRET_ARN },
      { name: 'far', kind: 'secret', secretArn: arn },
    ]),
    SLICEFLOW_CLUSTER_SETS: JSON.stringify(sets),
  }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  const scenes = [
    { ...edge, environment },
    { ...edge, environment, cluster: far },
  ] as const
  for (const scene of scenes) await defineFleet(await adminOf(scene))
  return scenes
}

/** Returns the secret's content for the cluster of a kubeconfig. */
export function connectionOf(kubeconfig: string): { server: string; ca: string; token: string } {
  const { clusters, users } = parse(kubeconfig)
  return {
    server: clusters[0].cluster.server,
    ca: clusters[0].cluster['certificate-authority-data'],
    token: users[0].user.token,
  }
}

import { onTestFinished, vi } from 'vitest'
import { parse } from 'yaml'
import { type EmbeddedQueue, startEmbeddedQueue } from '../../functions/local/embedded-queue.ts'
import type { TestCluster } from '../end-to-end/cluster.ts'
import { startSecretsManager } from './aws-stand-in.ts'

/** A deployment's surroundings on this machine: queues, a cluster, and the secret that tells of it. */
export interface Scene {
  readonly queue: EmbeddedQueue
  readonly cluster: TestCluster
  /** What CloudFormation would set for functions and the relay. */
  readonly environment: Readonly<Record<string, string>>
}

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
  const { server, ca, token } = connectionOf(cluster.user)
  secretsManager.secrets.set(SECRET_ARN, JSON.stringify({ server, ca, token }))
  const environment = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
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
  return { queue, cluster, environment }
}

function connectionOf(kubeconfig: string): { server: string; ca: string; token: string } {
  const { clusters, users } = parse(kubeconfig)
  return {
    server: clusters[0].cluster.server,
    ca: clusters[0].cluster['certificate-authority-data'],
    token: users[0].user.token,
  }
}

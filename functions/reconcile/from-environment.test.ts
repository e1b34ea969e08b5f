import type { Context, SQSEvent } from 'aws-lambda'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFakeAws, description } from '../../shared/clusters/fake-aws.fixtures.ts'
import { encodeMessage } from '../../shared/queue/index.ts'
import { createDeployedHandler } from './from-environment.ts'

const QUEUES = {
  SLICEFLOW_LIVE_QUEUE_URL: 'http://127.0.0.1:9/1/live',
  SLICEFLOW_LIVE_DEAD_LETTERS_URL: 'http://127.0.0.1:9/1/live-dead',
  SLICEFLOW_SWEEP_QUEUE_URL: 'http://127.0.0.1:9/1/sweep',
  SLICEFLOW_SWEEP_DEAD_LETTERS_URL: 'http://127.0.0.1:9/1/sweep-dead',
}
const SEARCH = [{ kind: 'discover', region: 'eu-west-1', tagKey: 'manage' }]

describe('the deployed function', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('gives keys back while no search for clusters has succeeded', async () => {
    vi.stubEnv('AWS_REGION', 'eu-west-1')
    vi.stubEnv('AWS_MAX_ATTEMPTS', '1')
    const aws = createFakeAws()
    aws.clusters.set('a', description({ manage: '' }))
    aws.fail(new Error('throttled'))
    const lines: Record<string, unknown>[] = []
    const handler = await createDeployedHandler({
      environment: {
        ...QUEUES,
        SLICEFLOW_CLUSTERS: JSON.stringify(SEARCH),
        SLICEFLOW_DEPLOYMENT: 'Prod/Sliceflow',
      },
      aws,
      write: (line) => lines.push(JSON.parse(line)),
    })
    const record = {
      messageId: 'one',
      receiptHandle: 'one',
      body: encodeMessage({ cluster: 'a', namespace: 'shop', service: 'web' }),
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) },
      eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:live',
    }
    const context = { getRemainingTimeInMillis: () => 30_000 } as Context
    const response = await handler({ Records: [record] } as unknown as SQSEvent, context)
    expect(response.batchItemFailures).toEqual([{ itemIdentifier: 'one' }])
    expect(JSON.stringify(lines)).toContain('Unreachable')
    const metrics = lines.filter((line) => '_aws' in line)
    expect(metrics.length).toBeGreaterThan(1)
    expect(new Set(metrics.map(({ Deployment }) => Deployment))).toEqual(new Set(['Prod/Sliceflow']))
  })
})

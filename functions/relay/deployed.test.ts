import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFakeAws, description } from '../clusters/fake-aws.fixtures.ts'
import { startDeployedRelay } from './deployed.ts'

const QUEUES = {
  SLICEFLOW_LIVE_QUEUE_URL: 'http://127.0.0.1:9/1/live',
  SLICEFLOW_SWEEP_QUEUE_URL: 'http://127.0.0.1:9/1/sweep',
  SLICEFLOW_PORT: '0',
}
const SEARCH = [{ kind: 'discover', region: 'eu-west-1', tagKey: 'manage' }]

describe('the deployed relay', () => {
  it('takes up clusters that get the tag, and leaves those that lose it', async () => {
    const aws = createFakeAws()
    // Nothing listens there: the relay goes on trying, as with any cluster that is down.
    const closed = { ...description({ manage: '' }), endpoint: new URL('https://127.0.0.1:9') }
    aws.clusters.set('a', closed)
    const lines: Record<string, unknown>[] = []
    const relay = await startDeployedRelay({
      environment: { ...QUEUES, SLICEFLOW_CLUSTERS: JSON.stringify(SEARCH) },
      aws,
      write: (line) => lines.push(JSON.parse(line)),
      searchIntervalMs: 20,
    })
    onTestFinished(async () => {
      await relay.stop(100)
    })
    const followed = () => lines.findLast(({ msg }) => msg === 'started; waiting for the clusters')?.clusters
    expect(followed()).toBe('a')
    aws.clusters.set('b', closed)
    await vi.waitFor(() => expect(followed()).toBe('a, b'), 10_000)
    aws.clusters.delete('a')
    await vi.waitFor(() => expect(followed()).toBe('b'), 10_000)
  })

  it('does not start with an environment that is wrong', async () => {
    const environment = { ...QUEUES, SLICEFLOW_CLUSTERS: '[]' }
    await expect(startDeployedRelay({ environment, aws: createFakeAws() })).rejects.toThrow(
      /^SLICEFLOW_CLUSTERS: clusters: the list is empty/,
    )
  })
})

import type { Context, ScheduledEvent } from 'aws-lambda'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFakeAws, description, type FakeAws } from '../../shared/clusters/fake-aws.fixtures.ts'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import { stubAws } from '../../test/support/stub-aws.ts'
import { startTestQueue, type TestQueue } from '../../test/support/test-queue.ts'
import { EnvironmentError } from '../environment/index.ts'
import { createDeployedAudit } from './from-environment.ts'
import { createAuditSlots } from './slots.ts'

const SECRET_ARN = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:edge-AbCdEf'
const EDGE = { name: 'edge', kind: 'secret', secretArn: SECRET_ARN }
const TAGGED = { kind: 'discover', region: 'us-east-1', tagKey: 'sliceflow' }

let server: ScriptedServer
let queue: TestQueue
let aws: FakeAws
let queueUrl: string

beforeEach(async () => {
  ;[server, queue] = await Promise.all([startScriptedServer(), startTestQueue('sweep')])
  const { ca } = await server.connection.credentials()
  aws = createFakeAws()
  aws.secrets.set(SECRET_ARN, JSON.stringify({ server: server.connection.server, ca, token: 'secret-token' }))
  // The server returns a host name of its own, which cannot be resolved here.
  const { port, pathname } = new URL(queue.queueUrl)
  const endpoint = `http://127.0.0.1:${port}`
  queueUrl = endpoint + pathname
  stubAws('SQS', endpoint)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all([server.close(), queue.stop()])
})

function deploy(clusters: readonly object[], more: Readonly<Record<string, string>> = {}) {
  const lines: string[] = []
  const handler = createDeployedAudit({
    environment: {
      SLICEFLOW_CLUSTERS: JSON.stringify(clusters),
      SLICEFLOW_SWEEP_QUEUE_URL: queueUrl,
      SLICEFLOW_AUDIT_INTERVAL: '600',
      ...more,
    },
    aws,
    write: (line) => void lines.push(line),
  })
  const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 30_000 } as Context
  const call = async (): Promise<void> => {
    await handler({ time: '2026-01-01T00:00:00Z' } as ScheduledEvent, context, () => {})
  }
  return { call, said: () => lines.join('') }
}

/** Gives the cluster one Service that is ours. */
function hasService(name: string): void {
  const annotations = { 'sliceflow.dev/selector': 'app=web' }
  const items = [{ metadata: { namespace: 'shop', name, annotations } }]
  server.answer(({ url = '' }, response) =>
    answerJson(response, list(url.includes('/services') ? items : [])),
  )
}

const list = (items: readonly object[]) => ({
  kind: 'PartialObjectMetadataList',
  apiVersion: 'meta.k8s.io/v1',
  metadata: { resourceVersion: '1' },
  items,
})

async function counts(): Promise<(string | undefined)[]> {
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesDelayed'] as const
  const { Attributes = {} } = await queue.client.getQueueAttributes({
    QueueUrl: queue.queueUrl,
    AttributeNames: [...names],
  })
  return names.map((name) => Attributes[name])
}

/** Finds a Service that comes late in its slot. */
function lateName(): string {
  const slots = createAuditSlots(600)
  const delayOf = (service: string): number =>
    slots.placeOf({ cluster: 'edge', namespace: 'shop', service }).delaySeconds
  return ['web', 'api', 'cart', 'till'].find((name) => delayOf(name) > 60) ?? expect.fail('none comes late')
}

describe('the deployed audit function, beside its queue', () => {
  it('sends the keys of a cluster to the sweep lane, each at its place in the slot', async () => {
    hasService(lateName())
    const { call, said } = deploy([EDGE])
    await call()
    expect(await counts()).toEqual(['0', '1'])
    expect(said()).toContain('"AuditKeys":1')
    expect(said()).toContain('"requestId":"request-1"')
    expect(said()).not.toContain('secret-token')
  })

  it('fails where clusters could not be searched for, once it has sent the keys of those that it knows', async () => {
    hasService(lateName())
    aws.taggedClusters = () => Promise.reject(new Error('throttled'))
    const { call } = deploy([EDGE, TAGGED])
    await expect(call()).rejects.toMatchObject({
      name: 'AuditError',
      message: expect.stringContaining('failed to find all clusters'),
      errors: [expect.any(Error)],
    })
    expect(await counts()).toEqual(['0', '1'])

    aws.taggedClusters = async () => []
    await expect(call()).resolves.toBeUndefined()
  })

  describe('of clusters that it searches for', () => {
    /** Has the search find a cluster, which has no Services. */
    async function hasTagged(): Promise<void> {
      const { ca } = await server.connection.credentials()
      const endpoint = server.connection.server
      aws.clusters.set('a', { ...description({ sliceflow: '' }), ca: String(ca), endpoint })
      server.answer((_request, response) => answerJson(response, list([])))
    }

    it('fails while no search has succeeded, as it does not know whose keys to send', async () => {
      await hasTagged()
      const { call } = deploy([TAGGED])
      aws.fail(new Error('throttled'))
      await expect(call()).rejects.toThrow(/failed to find all clusters/)
      expect(server.requests).toEqual([])
      aws.fail(undefined)
      await call()
      expect(server.requests).toHaveLength(2)
    })

    it('goes on with those that it knows when a later search fails', async () => {
      await hasTagged()
      const { call, said } = deploy([TAGGED], { SLICEFLOW_DEPLOYMENT: 'Prod/Sliceflow' })
      await call()
      vi.spyOn(aws, 'taggedClusters').mockRejectedValue(new Error('throttled'))
      await call()
      expect(server.requests).toHaveLength(4)
      expect(said().match(/"Deployment":"Prod\/Sliceflow".*"AuditKeys":0/g)).toHaveLength(2)
    })

    it('audits one that was made again with the retry of the call that did not reach it', async () => {
      await hasTagged()
      const made = aws.clusters.get('a') ?? description()
      aws.clusters.set('a', { ...made, endpoint: new URL('https://127.0.0.1:1') })
      const { call } = deploy([{ name: 'a', kind: 'eks', clusterName: 'a', region: 'us-east-1' }])
      await expect(call()).rejects.toThrow('failed to audit a')
      aws.clusters.set('a', made)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
      onTestFinished(() => void vi.useRealTimers())
      await call()
      expect(server.requests).toHaveLength(2)
    })
  })

  it('keeps its connections from one call to the next', async () => {
    hasService(lateName())
    const { call } = deploy([EDGE])
    for (let round = 0; round < 5; round++) await call()
    expect(server.requests.length).toBe(10)
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  it.each([
    ['SLICEFLOW_CLUSTERS', '[]'],
    ['SLICEFLOW_SWEEP_QUEUE_URL', 'sweep'],
    ['SLICEFLOW_AUDIT_INTERVAL', 'never'],
  ])('is not made with a wrong %s', (variable, value) => {
    expect(() => deploy([EDGE], { [variable]: value })).toThrow(EnvironmentError)
    expect(() => deploy([EDGE], { [variable]: value })).toThrow(variable)
  })
})

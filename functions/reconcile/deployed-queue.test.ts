import type { SQSEvent } from 'aws-lambda'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createFakeAws, description } from '../../shared/clusters/fake-aws.fixtures.ts'
import {
  contextOf,
  FUNCTION_TIMEOUT_MS,
  keyBody,
  record,
} from '../../shared/queue/consumer/batch-handler.fixtures.ts'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import { stubAws } from '../../test/support/stub-aws.ts'
import { startTestQueue, type TestQueue } from '../../test/support/test-queue.ts'
import { EnvironmentError } from '../environment/index.ts'
import { createDeployedHandler } from './from-environment.ts'

const SECRET_ARN = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:edge-AbCdEf'

let server: ScriptedServer
let queue: TestQueue
let endpoint: string

beforeEach(async () => {
  ;[server, queue] = await Promise.all([startScriptedServer(), startTestQueue('live')])
  await queue.client.createQueue({ QueueName: 'sweep-dead' })
  endpoint = `http://127.0.0.1:${new URL(queue.queueUrl).port}`
  stubAws('SQS', endpoint)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all([server.close(), queue.stop()])
})

const urlOf = (name: string): string => `${endpoint}/000000000000/${name}`

async function deploy(environment: Readonly<Record<string, string>> = {}, aws = createFakeAws()) {
  const { ca } = await server.connection.credentials()
  aws.secrets.set(SECRET_ARN, JSON.stringify({ server: server.connection.server, ca, token: 'secret-token' }))
  const lines: string[] = []
  const handler = await createDeployedHandler({
    environment: {
      SLICEFLOW_CLUSTERS: JSON.stringify([{ name: 'edge', kind: 'secret', secretArn: SECRET_ARN }]),
      SLICEFLOW_LIVE_QUEUE_URL: urlOf('live'),
      SLICEFLOW_LIVE_DEAD_LETTERS_URL: urlOf('live-dead'),
      SLICEFLOW_SWEEP_QUEUE_URL: urlOf('sweep'),
      SLICEFLOW_SWEEP_DEAD_LETTERS_URL: urlOf('sweep-dead'),
      ...environment,
    },
    aws,
    write: (line) => void lines.push(line),
  })
  /** Handles messages of a queue; gives those that failed. */
  async function handle(of: string, ...bodies: string[]): Promise<string[]> {
    const Records = bodies.map((body, index) => ({
      ...record(String(index), body),
      eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${of}`,
    }))
    const { batchItemFailures } = await handler({ Records } as SQSEvent, contextOf(FUNCTION_TIMEOUT_MS))
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
  }
  const metrics = (): Record<string, unknown>[] =>
    lines
      .splice(0)
      .map((line) => JSON.parse(line))
      .filter((line) => '_aws' in line)
  return { handle, metrics, said: () => lines.join('') }
}

/** Makes the API server answer that it has nothing. */
const hasNothing = (): void =>
  server.answer(({ url = '' }, response) =>
    url.includes('/services/')
      ? answerJson(
          response,
          { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, details: { name: 'cart' } },
          404,
        )
      : answerJson(response, { kind: 'EndpointSliceList', metadata: { resourceVersion: '1' }, items: [] }),
  )

describe('the deployed function, beside its queues', () => {
  it('counts by lane what it handles, each invocation for itself', async () => {
    hasNothing()
    const { handle, metrics } = await deploy()
    expect(await handle('live', keyBody('cart', 'edge'))).toEqual([])
    expect(metrics()).toMatchObject([
      { ColdStarts: 1, Keys: 1 },
      { Lane: 'live', Messages: 1, FailedMessages: 0 },
    ])
    expect(await handle('sweep', keyBody('cart', 'edge'))).toEqual([])
    const [first, second] = metrics()
    expect(first).toMatchObject({ Keys: 1 })
    expect(first).not.toHaveProperty('ColdStarts')
    expect(second).toMatchObject({ Lane: 'sweep', Messages: 1 })
  })

  it('gives keys back while no search for clusters has succeeded', async () => {
    const aws = createFakeAws()
    aws.clusters.set('a', description({ manage: '' }))
    aws.fail(new Error('throttled'))
    const search = [{ kind: 'discover', region: 'us-east-1', tagKey: 'manage' }]
    const environment = { SLICEFLOW_CLUSTERS: JSON.stringify(search), SLICEFLOW_DEPLOYMENT: 'Prod/Sliceflow' }
    const { handle, metrics, said } = await deploy(environment, aws)
    expect(await handle('live', keyBody('web', 'a'))).toEqual(['0'])
    expect(said()).toContain('Unreachable')
    const deployments = metrics().map(({ Deployment }) => Deployment)
    expect(deployments.length).toBeGreaterThan(1)
    expect(new Set(deployments)).toEqual(new Set(['Prod/Sliceflow']))
  })

  it('makes no metric of a cluster that only a message names', async () => {
    const { handle, metrics, said } = await deploy()
    expect(await handle('live', keyBody('cart', 'stranger'))).toEqual(['0'])
    expect(said()).toContain('cluster stranger is not known; known are edge')
    const counted = metrics()
    expect(counted).toContainEqual(expect.objectContaining({ Cluster: 'unknown', FailedKeys: 1 }))
    expect(JSON.stringify(counted)).not.toContain('stranger')
  })

  it('counts a key of a known cluster that failed by its cluster', async () => {
    server.answer((_request, response) => answerJson(response, { kind: 'Status' }, 403))
    const { handle, metrics, said } = await deploy()
    expect(await handle('live', keyBody('cart', 'edge'))).toEqual(['0'])
    expect(said()).not.toContain('secret-token')
    expect(said()).toContain('"requestId":"request"')
    expect(metrics()).toContainEqual(expect.objectContaining({ Cluster: 'edge', FailedKeys: 1 }))
  })

  it('counts what it compares in shadow mode', async () => {
    hasNothing()
    const { handle, metrics } = await deploy({ SLICEFLOW_SHADOW: 'true' })
    expect(await handle('live', keyBody('cart', 'edge'))).toEqual([])
    expect(metrics()).toContainEqual(expect.objectContaining({ Result: 'unmanaged', ServicesCompared: 1 }))
  })

  it('writes letters to the dead letters of the lane that the message came from', async () => {
    const { handle, metrics } = await deploy()
    expect(await handle('sweep', 'no key')).toEqual([])
    const { Messages = [] } = await queue.client.receiveMessage({ QueueUrl: urlOf('sweep-dead') })
    expect(Messages.map(({ Body }) => Body)).toEqual(['no key'])
    expect(metrics()).toContainEqual(expect.objectContaining({ DeadLetters: 1, MalformedMessages: 1 }))
  })

  it('refuses events of a queue that is none of its own, and handles the next one', async () => {
    const { handle } = await deploy()
    await expect(handle('other', keyBody('cart', 'edge'))).rejects.toThrow(EnvironmentError)
    await expect(handle('my-live', keyBody('cart', 'edge'))).rejects.toThrow('000000000000:my-live')
    hasNothing()
    expect(await handle('live', keyBody('cart', 'edge'))).toEqual([])
  })
})

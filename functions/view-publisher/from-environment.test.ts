import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createFakeAws } from '../../shared/clusters/fake-aws.fixtures.ts'
import { contextOf, keyBody, record } from '../../shared/queue/consumer/batch-handler.fixtures.ts'
import { stubAws } from '../../test/support/stub-aws.ts'
import { createDeployedViewPublisher, createDeployedViewPublisherSweep } from './from-environment.ts'

const SECRET = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod'
const SPEC = new URL('../../examples/views/endpoints.yaml', import.meta.url).pathname

/** Serves SQS and DynamoDB, which by default have nothing to say. */
async function serve(answers: Readonly<Record<string, object>> = {}): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    const answer = answers[String(request.headers['x-amz-target'])] ?? {}
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  stubAws('SQS', endpoint)
  onTestFinished(() => void vi.unstubAllEnvs())
  return endpoint
}

const environmentOf = (endpoint: string) => ({
  SLICEFLOW_CLUSTERS: JSON.stringify([{ name: 'prod', kind: 'secret', secretArn: SECRET }]),
  SLICEFLOW_VIEW_PUBLISHER_QUEUE_URL: `${endpoint}/1/views`,
  SLICEFLOW_VIEW_PUBLISHER_DEAD_LETTERS_URL: `${endpoint}/1/views-dead`,
  SLICEFLOW_VIEW_PUBLISHER_TABLE: 'views',
  SLICEFLOW_VIEW_PUBLISHER_SPEC: SPEC,
  SLICEFLOW_VIEW_PUBLISHER_EVENT_BUS: 'default',
  SLICEFLOW_LOG_LEVEL: 'debug',
})

const clientOptionsOf = (endpoint: string) => ({
  endpoint,
  region: 'eu-west-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
})

it('a cluster that does not answer is asked no more after some calls, so that it holds up no other', async () => {
  const endpoint = await serve()
  const aws = createFakeAws()
  const ca = '-----BEGIN CERTIFICATE-----'
  aws.secrets.set(SECRET, JSON.stringify({ server: 'https://127.0.0.1:1', ca, token: 'a-token' }))
  const lines: string[] = []
  const handler = await createDeployedViewPublisher({
    environment: environmentOf(endpoint),
    aws,
    clientOptions: clientOptionsOf(endpoint),
    write: (line) => void lines.push(line),
  })
  const Records = Array.from({ length: 30 }, (_, index) => record(`m${index}`, keyBody(`s${index}`)))
  const { batchItemFailures } = await handler({ Records }, contextOf(10_000))
  expect(batchItemFailures).toHaveLength(30)
  const logged = lines.map((line) => JSON.parse(line))
  const classes = logged.flatMap(({ errorClass }) => errorClass ?? [])
  expect(classes.filter((name) => name === 'CircuitOpenError').length).toBeGreaterThan(10)
  expect(logged.filter(({ msg }) => msg.startsWith('the cluster does not answer'))).toHaveLength(1)
})

it('a sweep says at the end of its time that the queue takes nothing', async () => {
  const Items = [{ key: { S: 'prod/shop/cart' } }]
  // Of a batch that it takes SQS names each entry.
  const endpoint = await serve({ 'DynamoDB_20120810.Scan': { Items } })
  const environment = environmentOf(endpoint)
  const clientOptions = clientOptionsOf(endpoint)
  const sweep = createDeployedViewPublisherSweep({ environment, clientOptions, write: () => {} })
  const swept = sweep({} as Parameters<typeof sweep>[0], contextOf(1_000), () => {})
  await expect(swept).rejects.toThrow('failed to send 1 of 1 keys to the queue')
})

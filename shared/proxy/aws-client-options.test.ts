import { once } from 'node:events'
import { createServer } from 'node:http'
import { get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { SQS } from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../functions/environment/queue-access.ts'
import { type ForwardProxy, startHttpProxy } from '../../test/support/forward-proxies.ts'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import { createAws } from '../clusters/index.ts'
import { createQueueClient } from '../queue/index.ts'
import { awsClientOptions } from './index.ts'

const EKS = { region: 'eu-west-1' }
const ROLE = { ...EKS, roleArn: 'arn:aws:iam::111122223333:role/fleet' }
const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/111122223333/live'
const SECRET = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:edge'

describe('clients of AWS', () => {
  let server: ScriptedServer
  let proxy: ForwardProxy
  beforeEach(async () => {
    server = await startScriptedServer()
    server.answer((_, response) => answerJson(response, {}))
    proxy = await startHttpProxy({ target: Number(server.connection.server.port) })
    vi.stubEnv('AWS_REGION', 'eu-west-1')
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIATEST')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
    vi.stubEnv('AWS_MAX_ATTEMPTS', '1')
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`)
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await proxy.close()
    await server.close()
  })

  /** Behind the proxy is a server that is not AWS: each call fails, and on its way. */
  it.each<[string, () => Promise<unknown>, string]>([
    ['the queue', () => (createClient() as SQS).listQueues({}), 'sqs'],
    ['a queue that is named', async () => (await createQueueClient(QUEUE)).listQueues({}), 'sqs'],
    ['EKS', () => createAws().describeCluster('prod', EKS), 'eks'],
    ['tags', () => createAws().taggedClusters({ tagKey: 'a' }, EKS), 'tagging'],
    ['a role', () => createAws().credentials(ROLE), 'sts'],
    ['a secret', () => createAws().secretText(SECRET), 'secretsmanager'],
  ])('reach %s through the proxy of the environment', async (_, call, service) => {
    await expect(call()).rejects.toThrow()
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${service}.eu-west-1.amazonaws.com:443`]))
  })

  it('go straight to what NO_PROXY has', async () => {
    vi.stubEnv('NO_PROXY', 'corp.example')
    const client = new SQS({ ...awsClientOptions(), endpoint: 'https://sqs.corp.example' })
    await expect(client.listQueues({})).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/)
    expect(proxy.asked).toEqual([])
  })

  it('have answers through the proxy, over connections that are kept', async () => {
    const agent = awsClientOptions().requestHandler.httpsAgent
    const options = { agent, host: 'sqs.corp.example', rejectUnauthorized: false }
    for (const _ of [1, 2]) {
      const [response] = await once(get(options), 'response')
      expect(response.statusCode).toBe(200)
      await response.toArray()
      await expect.poll(() => Object.keys(agent?.freeSockets ?? {})).toHaveLength(1)
    }
    expect(proxy.asked).toEqual(['CONNECT sqs.corp.example:443'])
    agent?.destroy()
  })

  it('have only a time limit of ours where the environment names no proxy', () => {
    expect(awsClientOptions({ NO_PROXY: '*' })).toEqual({ requestHandler: { socketTimeout: 30_000 } })
  })

  it('do not wait for a server that has gone silent', async () => {
    const silent = createServer(() => undefined)
    silent.listen(0, '127.0.0.1')
    onTestFinished(() => {
      silent.closeAllConnections()
      silent.close()
    })
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const { requestHandler } = awsClientOptions({})
    const client = new SQS({
      endpoint: `http://127.0.0.1:${port}`,
      requestHandler: { ...requestHandler, socketTimeout: requestHandler.socketTimeout / 300 },
    })
    await expect(client.listQueues({})).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})

import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { type OutgoingHttpHeaders, request } from 'node:http'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { SignatureV4 } from '@smithy/signature-v4'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createQueueClient, readLocalCredentials } from '../../../shared/queue/index.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { type EmbeddedQueue, startEmbeddedQueue } from './embedded-queue.ts'

/** Sends a request with headers that `fetch` does not let one choose. */
async function statusOf(endpoint: string, headers: OutgoingHttpHeaders, body: string): Promise<number> {
  const { port } = new URL(endpoint)
  const sent = request({ host: '127.0.0.1', port, method: 'POST', headers, agent: false })
  sent.on('error', () => undefined).end(body)
  const [response] = await once(sent, 'response')
  response.resume()
  return response.statusCode
}

/** Signs a request as AWS' SDKs do. */
async function signedHeaders(
  { endpoint, credentials }: Pick<EmbeddedQueue, 'endpoint' | 'credentials'>,
  target: string,
  body: string,
): Promise<Record<string, string>> {
  class Sha256 {
    readonly #hash
    constructor(secret?: string | Uint8Array) {
      this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Uint8Array)
    }
    update(data: string | Uint8Array): void {
      this.#hash.update(data)
    }
    async digest(): Promise<Uint8Array> {
      return this.#hash.digest()
    }
  }
  const signer = new SignatureV4({
    credentials,
    region: 'eu-west-1',
    service: 'sqs',
    sha256: Sha256 as never,
  })
  const { host, hostname, port } = new URL(endpoint)
  const headers = { host, 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target }
  const signed = await signer.sign({
    method: 'POST',
    protocol: 'http:',
    hostname,
    port: Number(port),
    path: '/',
    headers,
    body,
  })
  return signed.headers
}

let queue: EmbeddedQueue
beforeEach(async () => {
  queue = await startEmbeddedQueue({ visibilityTimeoutSeconds: 30, maxReceiveCount: 2 })
})
afterEach(() => queue.stop())

describe('the server of the embedded queue', () => {
  const send = (queueUrl: string, headers: OutgoingHttpHeaders = {}, body?: string) =>
    statusOf(
      queue.endpoint,
      { 'x-amz-target': 'AmazonSQS.SendMessage', ...headers },
      body ?? bodyOf(queueUrl),
    )
  const bodyOf = (QueueUrl: string) => JSON.stringify({ QueueUrl, MessageBody: 'x' })
  const depth = async () => {
    const QueueUrl = queue.lanes.live.url
    const { Attributes } = await queue.client.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] })
    return Number(Attributes?.ApproximateNumberOfMessages)
  }

  it('takes nothing that is not signed with the credentials of this process', async () => {
    const { url } = queue.lanes.live
    const signed = await signedHeaders(queue, 'AmazonSQS.SendMessage', bodyOf(url))
    expect(await send(url, signed)).toBe(200)
    expect(await depth()).toBe(1)
    const foreign = { accessKeyId: 'local', secretAccessKey: 'local' }
    for (const credentials of [foreign, { ...foreign, accessKeyId: queue.credentials.accessKeyId }]) {
      const headers = await signedHeaders({ ...queue, credentials }, 'AmazonSQS.SendMessage', bodyOf(url))
      expect(await send(url, headers)).toBe(403)
    }
    expect(await send(url)).toBe(403)
    expect(await send(url, signed, bodyOf(url).replace('"x"', '"y"'))).toBe(403)
    expect(await depth()).toBe(1)
  })

  it('takes nothing from a browser, nor under another name, though it be signed', async () => {
    const { url } = queue.lanes.live
    const signed = await signedHeaders(queue, 'AmazonSQS.SendMessage', bodyOf(url))
    for (const headers of [
      { origin: 'http://evil.example' },
      { origin: queue.endpoint },
      { 'sec-fetch-site': 'same-origin' },
    ])
      expect(await send(url, { ...signed, ...headers })).toBe(403)
    expect(await send(url, { ...signed, host: `evil.example:${new URL(url).port}` })).toBe(421)
    expect(await depth()).toBe(0)
  })

  it.each([
    ['SNS by a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'Action=CreateTopic&Name=x'],
    ['SQS by a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'Action=ListQueues'],
    ['an action that is not used', { 'x-amz-target': 'AmazonSQS.PurgeQueue' }, '{}'],
    ['a property of every object', { 'x-amz-target': 'AmazonSQS.constructor' }, '{}'],
    ['another service', { 'x-amz-target': 'SNS.Publish' }, '{}'],
  ])('does not serve %s', async (_, headers, body) => {
    expect(await statusOf(queue.endpoint, headers, body)).toBe(400)
  })

  it('takes no body larger than SQS does', async () => {
    const body = JSON.stringify({ QueueUrl: queue.lanes.live.url, MessageBody: 'x'.repeat(5 * 2 ** 20) })
    expect(await statusOf(queue.endpoint, { 'x-amz-target': 'AmazonSQS.SendMessage' }, body)).toBe(413)
  })

  it('leaves its credentials to commands of the same user, in a file that only they can read', async () => {
    const cache = temporaryFolder()
    vi.stubEnv('XDG_CACHE_HOME', cache)
    onTestFinished(() => void vi.unstubAllEnvs())
    const other = await startEmbeddedQueue({ visibilityTimeoutSeconds: 30 })
    const { port } = new URL(other.endpoint)
    const file = join(cache, 'sliceflow', 'queues', `${port}.json`)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readLocalCredentials(Number(port))).toEqual(other.credentials)
    await other.stop()
    expect(await readLocalCredentials(Number(port))).toBeUndefined()
  })

  it('removes the files of processes of this machine that were killed, and no others', async () => {
    const cache = temporaryFolder()
    vi.stubEnv('XDG_CACHE_HOME', cache)
    onTestFinished(() => void vi.unstubAllEnvs())
    const running = await startEmbeddedQueue({ visibilityTimeoutSeconds: 30 })
    onTestFinished(() => running.stop())
    const folder = join(cache, 'sliceflow', 'queues')
    const killed = { accessKeyId: 'a', secretAccessKey: 'b' }
    // Nothing listens on ports that only root may have.
    await writeFile(join(folder, '2.json'), JSON.stringify({ ...killed, host: hostname() }))
    await writeFile(join(folder, '3.json'), JSON.stringify({ ...killed, host: 'another-machine' }))
    await writeFile(join(folder, 'notes.txt'), 'of somebody')
    const next = await startEmbeddedQueue({ visibilityTimeoutSeconds: 30 })
    onTestFinished(() => next.stop())
    const files = [running, next].map(({ endpoint }) => `${new URL(endpoint).port}.json`)
    expect((await readdir(folder)).toSorted()).toEqual([...files, '3.json', 'notes.txt'].toSorted())
  })

  it('leaves them in shared memory where the cache cannot be written, as in a container', async () => {
    vi.stubEnv('XDG_CACHE_HOME', '/dev/null')
    onTestFinished(() => void vi.unstubAllEnvs())
    const other = await startEmbeddedQueue({ visibilityTimeoutSeconds: 30 })
    onTestFinished(() => other.stop())
    expect(await readLocalCredentials(Number(new URL(other.endpoint).port))).toEqual(other.credentials)
  })

  it('names the lanes that a queue is the dead-letter target of', async () => {
    const { url, deadLetterUrl } = queue.lanes.live
    const client = await createQueueClient(url)
    onTestFinished(() => client.destroy())
    const sources = async (QueueUrl: string) => {
      const { queueUrls = [] } = await client.listDeadLetterSourceQueues({ QueueUrl })
      return queueUrls.map((one) => new URL(one).pathname)
    }
    expect(await sources(deadLetterUrl)).toEqual([new URL(url).pathname])
    expect(await sources(url)).toEqual([])
    await expect(sources(`${url}-gone`)).rejects.toThrow('does not exist')
  })
})

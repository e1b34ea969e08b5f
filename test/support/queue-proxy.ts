import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Sha256 } from '@aws-crypto/sha256-js'
import { SignatureV4 } from '@smithy/signature-v4'
import { readLocalCredentials } from '../../shared/queue/index.ts'

/** One message on its way to the queue. */
export interface SentEntry extends Readonly<Record<string, unknown>> {
  readonly Id: string
  readonly DelaySeconds?: number
}

/** A queue's front door that a test can shut, and that may change what is sent. */
export interface QueueProxy {
  /** Returns the queue's URL through this proxy. */
  urlOf(queueUrl: string): string
  /** Opens the proxy, or shuts it and cuts every connection. */
  setOpen(open: boolean): void
  /**
   * Sets how a batch is changed before it is sent on, possibly as several batches; undefined sends it as it
   * is.
   */
  alter(change: ((entries: readonly SentEntry[]) => readonly (readonly SentEntry[])[]) | undefined): void
  close(): Promise<void>
}

type Alter = Parameters<QueueProxy['alter']>[0]

/**
 * Starts a proxy that accepts requests with any signature, and signs what it sends on: it may have changed
 * the body.
 * @param target `http://127.0.0.1:PORT` of a queue that a process of this user serves
 */
export async function startQueueProxy(target: string): Promise<QueueProxy> {
  const { host, hostname, port } = new URL(target)
  const credentials = await readLocalCredentials(Number(port))
  if (credentials === undefined) throw new Error(`no process of this user serves a queue at ${target}`)
  const signer = new SignatureV4({ credentials, region: 'us-east-1', service: 'sqs', sha256: Sha256 })
  let isOpen = true
  let change: Alter

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    if (!isOpen) return void response.destroy()
    // The first batch has every entry that the sender waits to hear of.
    const [first = body, ...more] = bodiesOf(request, body)
    await forward(request, first, response)
    for (const other of more) await forward(request, other)
  }

  function bodiesOf({ headers }: IncomingMessage, body: Buffer): readonly Buffer[] {
    if (headers['x-amz-target'] !== 'AmazonSQS.SendMessageBatch' || change === undefined) return [body]
    const { Entries, ...rest } = JSON.parse(body.toString('utf8'))
    return change(Entries).map((entries) => Buffer.from(JSON.stringify({ ...rest, Entries: entries })))
  }

  async function forward(request: IncomingMessage, body: Buffer, response?: ServerResponse): Promise<void> {
    const { method = '', url = '/', headers } = request
    const signed = await signer.sign({
      ...{ method, protocol: 'http:', hostname, path: url, query: {}, body },
      headers: {
        host,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': String(headers['x-amz-target']),
      },
    })
    const onward = httpRequest(new URL(url, target), {
      method,
      headers: { ...signed.headers, 'content-length': body.length },
    })
    // A long poll whose consumer is gone must end at the queue, too.
    response?.on('close', () => onward.destroy())
    onward.end(body)
    const [reply] = (await once(onward, 'response')) as [IncomingMessage]
    if (response === undefined) return void (await reply.toArray())
    response.writeHead(reply.statusCode ?? 502, reply.headers)
    reply.pipe(response)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    urlOf: (queueUrl) => new URL(new URL(queueUrl).pathname, origin).href,
    setOpen(open) {
      isOpen = open
      if (!open) server.closeAllConnections()
    },
    alter(next) {
      change = next
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

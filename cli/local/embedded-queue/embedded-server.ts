import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ReceiveMessageResult } from '@aws-sdk/client-sqs'
import * as v from 'valibot'
import { createGuardedServer } from '../../../shared/http-server/index.ts'
import {
  createLocalCredentials,
  type LocalCredentials,
  type QueueCallOptions,
  type QueueClient,
  removeLocalCredentials,
  writeLocalCredentials,
} from '../../../shared/queue/index.ts'
import { finite, looseObject, object, safeParse } from '../../../shared/schema/index.ts'

/** The actions that are served; every other request is refused. */
const ACTIONS = {
  SendMessage: 'sendMessage',
  SendMessageBatch: 'sendMessageBatch',
  ReceiveMessage: 'receiveMessage',
  DeleteMessageBatch: 'deleteMessageBatch',
  ChangeMessageVisibilityBatch: 'changeMessageVisibilityBatch',
  GetQueueAttributes: 'getQueueAttributes',
  GetQueueUrl: 'getQueueUrl',
  ListDeadLetterSourceQueues: 'listDeadLetterSourceQueues',
} as const satisfies Record<string, keyof QueueClient>

type Call = (input: object, options: QueueCallOptions) => Promise<unknown>

/** SQS' maximum is 1 MiB a request; JSON may need more than a byte for a character. */
const MAX_BODY_BYTES = 4 * 2 ** 20

class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly statusCode: number
  readonly code: string

  constructor(statusCode: number, code: string, message: string) {
    super(message)
    this.statusCode = statusCode
    this.code = code
  }
}

/** Form of the errors of fauxqs' actions, and of ours. */
const errorSchema = object({
  code: v.string(),
  message: v.string(),
  statusCode: finite(),
  queryErrorHeader: v.optional(v.string()),
})

/** Starts the server. Only commands of an operator use it: `dead-letters`, `status`. */
export async function startEmbeddedServer(client: QueueClient) {
  const credentials = createLocalCredentials()
  let place = ''
  const server = createGuardedServer({
    allowsBrowsers: false,
    answer: (request, response) => void answer(request, response),
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ending = new AbortController()
    response.once('close', () => ending.abort())
    try {
      const result = await resultOf(request, ending.signal)
      send(response, 200, result)
    } catch (error) {
      const { data } = safeParse(errorSchema, error)
      if (data?.queryErrorHeader) response.setHeader('x-amzn-query-error', data.queryErrorHeader)
      const { code = 'InternalFailure', message = 'the queue failed', statusCode = 500 } = data ?? {}
      send(response, statusCode, { __type: `com.amazonaws.sqs#${code}`, message })
    }
  }

  async function resultOf(request: IncomingMessage, signal: AbortSignal): Promise<unknown> {
    const { method, url, headers } = request
    const action = /^AmazonSQS\.(\w+)$/.exec(String(headers['x-amz-target']))?.[1] ?? ''
    if (method !== 'POST' || url !== '/' || !Object.hasOwn(ACTIONS, action))
      throw new RequestError(
        400,
        'InvalidAction',
        `only these actions are served: ${Object.keys(ACTIONS).join(', ')}`,
      )
    const body = await readBody(request)
    if (!isSigned(request, body, credentials))
      throw new RequestError(
        403,
        'AccessDenied',
        `sign the request with the credentials in ${place}; run this command as the user that runs sliceflow`,
      )
    const call = client[ACTIONS[action as keyof typeof ACTIONS]] as Call
    const input = parseBody(body)
    const result = await call(input, { abortSignal: signal })
    if (action === 'ReceiveMessage') await giveBackUnlessOpen(request, input, result as ReceiveMessageResult)
    return result
  }

  /** Makes messages visible again whose receiver has gone; it would miss them for minutes. */
  async function giveBackUnlessOpen(
    { socket }: IncomingMessage,
    { QueueUrl }: { readonly QueueUrl?: string },
    { Messages = [] }: ReceiveMessageResult,
  ): Promise<void> {
    if (Messages.length === 0) return
    // The end of the connection may be waiting in the same turn as the message that ended the poll.
    await nextTurn()
    if (!socket.destroyed && !socket.readableEnded) return
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({
      Id: `${index}`,
      ReceiptHandle,
      VisibilityTimeout: 0,
    }))
    await client.changeMessageVisibilityBatch({ QueueUrl, Entries })
  }

  const port = await server.listen(0)
  // The process works without the file; commands report why they have no access.
  place = await writeLocalCredentials(port, credentials).catch(
    (error: Error) => `its memory only (failed to write a file: ${error.message})`,
  )
  return {
    /** `http://127.0.0.1:PORT` */
    endpoint: `http://127.0.0.1:${port}`,
    /** Requests must be signed with them. Commands of the same user read them from a file. */
    credentials,
    async stop(): Promise<void> {
      await server.stop()
      await removeLocalCredentials(port, credentials)
    },
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > MAX_BODY_BYTES)
      throw new RequestError(413, 'RequestTooLarge', `the body is larger than ${MAX_BODY_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const inputSchema = looseObject({ QueueUrl: v.optional(v.string()) })

function parseBody(body: Buffer): v.InferOutput<typeof inputSchema> {
  try {
    return v.parse(inputSchema, JSON.parse(String(body)))
  } catch (cause) {
    throw new RequestError(400, 'SerializationException', `the body is no input of SQS: ${String(cause)}`)
  }
}

function send(response: ServerResponse, status: number, document: unknown): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
  response.end(JSON.stringify(document ?? {}))
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
/** Scope and headers may name any region; nothing but its own form is believed. */
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d+\/[\w-]+\/sqs\/aws4_request), ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]+)$/

/** Reports whether a request to SQS is signed with the credentials (Signature Version 4), body included. */
function isSigned({ method, url, headers }: IncomingMessage, body: Buffer, own: LocalCredentials): boolean {
  const [, accessKeyId = '', scope = '', signedHeaders = '', signature = ''] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? []
  const names = signedHeaders.split(';')
  if (accessKeyId !== own.accessKeyId || !['host', 'x-amz-target'].every((name) => names.includes(name)))
    return false
  const request = [
    method,
    url,
    '',
    ...names.map(
      (name) =>
        `${name}:${String(headers[name] ?? '')
          .trim()
          .replaceAll(/ +/g, ' ')}`,
    ),
    '',
    signedHeaders,
    createHash('sha256').update(body).digest('hex'),
  ].join('\n')
  const digest = createHash('sha256').update(request).digest('hex')
  const toSign = [ALGORITHM, headers['x-amz-date'], scope, digest].join('\n')
  let key: string | Buffer = `AWS4${own.secretAccessKey}`
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest()
  const expected = createHmac('sha256', key).update(toSign).digest()
  const given = Buffer.from(signature, 'hex')
  return given.length === expected.length && timingSafeEqual(expected, given)
}

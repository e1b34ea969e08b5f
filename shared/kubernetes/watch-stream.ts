import type { IncomingMessage } from 'node:http'
import type { Selection, WatchEvent, WatchOptions } from './api-client.ts'
import { apiError, ConnectionError, connectionError } from './errors/errors.ts'
import { readStatus } from './errors/refusal.ts'
import { withoutManagedFields } from './managed-fields.ts'
import type { ApiObject } from './resources.ts'

export interface WatchStreamOptions extends Pick<WatchOptions, 'inactivityMs' | 'onBytes' | 'signal'> {
  /** Words for errors. */
  readonly action: string
  readonly server: URL
  readonly managedFields?: Selection['managedFields']
  /** Called when nothing came for too long, before that is thrown. */
  readonly onSilence?: () => void
}

/** etcd refuses objects above 1.5 MiB; a line far above that is not a watch event. */
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024
const NEWLINE = 0x0a

/**
 * Yields the events of a watch response, one JSON object a line. An ERROR event is thrown as the error that
 * it holds. What an event holds in place of an object is passed on as it is: one bad object must not end the
 * watch again and again.
 * @throws ConnectionError when the stream breaks, is silent for too long, or holds something else
 */
export async function* readWatch<T extends ApiObject>(
  response: IncomingMessage,
  { action, server, inactivityMs, managedFields = true, onBytes, onSilence, signal }: WatchStreamOptions,
): AsyncGenerator<WatchEvent<T>> {
  const silence = setTimeout(() => {
    onSilence?.()
    response.destroy(
      new ConnectionError(`failed to ${action}: silent for ${inactivityMs / 1000} s`, 'ESILENT'),
    )
  }, inactivityMs)
  try {
    for await (const line of lines(response, () => {
      silence.refresh()
      onBytes?.()
    }))
      yield parseEvent(action, managedFields ? line : withoutManagedFields(line))
  } catch (cause) {
    signal?.throwIfAborted()
    throw cause instanceof Error && 'retryable' in cause ? cause : connectionError(action, { server }, cause)
  } finally {
    clearTimeout(silence)
    response.destroy()
  }
}

async function* lines(response: IncomingMessage, onChunk: () => void): AsyncGenerator<string> {
  let rest: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    onChunk()
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end)
      const line =
        rest.length === 0 ? piece.toString('utf8') : Buffer.concat([...rest, piece]).toString('utf8')
      rest = []
      size = 0
      start = end + 1
      if (line !== '') yield line
    }
    if (start < chunk.length) {
      rest.push(chunk.subarray(start))
      size += chunk.length - start
      if (size > MAX_LINE_CHARACTERS)
        throw Object.assign(new Error('an event is too large'), { code: 'ETOOLARGE' })
    }
  }
}

function parseEvent<T extends ApiObject>(action: string, line: string): WatchEvent<T> {
  let event: { type?: unknown; object?: unknown }
  try {
    event = JSON.parse(line)
  } catch (cause) {
    throw new ConnectionError(`failed to ${action}: an event is not JSON`, 'EBADMESSAGE', cause)
  }
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return event as WatchEvent<T>
    case 'ERROR': {
      const status = readStatus(event.object)
      throw apiError(action, status.code ?? 500, status)
    }
    default:
      throw new ConnectionError(
        `failed to ${action}: unknown event type ${JSON.stringify(event.type)}`,
        'EBADMESSAGE',
      )
  }
}

import type { ServerResponse } from 'node:http'

/** A page that is open. */
export interface Subscriber {
  /** Tells it alone. @param data of JSON */
  send(name: string, data: unknown): void
}

/** The streams of server-sent events of all pages that are open. */
export interface Subscribers {
  /** Number of open streams. */
  readonly size: number
  /**
   * Begins a stream, until either side ends it.
   * @returns `undefined` where there are as many as may be; nothing was answered then
   */
  add(response: ServerResponse, onEnd: () => void): Subscriber | undefined
  /** Tells all of them. @param data of JSON */
  publish(name: string, data: unknown): void
  /** Ends all streams. */
  close(): void
}

/** A browser has six connections to one server, of which it needs one to load the page. */
export const MAX_SUBSCRIBERS = 5
/**
 * Maximum bytes that a page may be behind, some minutes; then it is disconnected. It gets the current state
 * when
 * it reconnects.
 */
export const MAX_WAITING_BYTES = 1024 * 1024
/** Milliseconds after which a page reconnects. */
const RETRY_MS = 2_000

export function createSubscribers(): Subscribers {
  const responses = new Set<ServerResponse>()

  function write(response: ServerResponse, text: string): void {
    if (response.writableLength + text.length > MAX_WAITING_BYTES) response.destroy()
    else response.write(text)
  }

  return {
    get size() {
      return responses.size
    },
    add(response, onEnd) {
      if (responses.size >= MAX_SUBSCRIBERS) return undefined
      responses.add(response)
      response.once('close', () => {
        responses.delete(response)
        onEnd()
      })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      write(response, `retry: ${RETRY_MS}\n\n`)
      return { send: (name, data) => write(response, eventText(name, data)) }
    },
    publish(name, data) {
      if (responses.size === 0) return
      const text = eventText(name, data)
      for (const response of responses) write(response, text)
    },
    close() {
      for (const response of responses) response.destroy()
    },
  }
}

/** Writes an event. JSON has no line ends of its own, which would end the event. */
const eventText = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

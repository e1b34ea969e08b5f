import type { ServerResponse } from 'node:http'

export interface Subscriber {
  /** Sends to it alone. @param data of JSON */
  send(name: string, data: unknown): void
}

/** A browser has six connections to one server, of which it needs one to load the page. */
export const MAX_SUBSCRIBERS = 5
/** Bytes that a page may be behind: some minutes. Then it is disconnected, and gets the current state. */
export const MAX_WAITING_BYTES = 1024 * 1024
/** Milliseconds after which a page reconnects. */
const RETRY_MS = 2_000

/** The streams of server-sent events of all pages that are open. */
export class Subscribers {
  readonly #responses = new Set<ServerResponse>()

  get size(): number {
    return this.#responses.size
  }

  /**
   * Begins a stream, until either side ends it.
   * @returns `undefined` where there are as many as may be; nothing was answered then
   */
  add(response: ServerResponse, onEnd: () => void): Subscriber | undefined {
    if (this.size >= MAX_SUBSCRIBERS) return undefined
    this.#responses.add(response)
    response.once('close', () => {
      this.#responses.delete(response)
      onEnd()
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    write(response, `retry: ${RETRY_MS}\n\n`)
    return { send: (name, data) => write(response, eventText(name, data)) }
  }

  publish(name: string, data: unknown): void {
    if (this.size === 0) return
    const text = eventText(name, data)
    for (const response of this.#responses) write(response, text)
  }

  close(): void {
    for (const response of this.#responses) response.destroy()
  }
}

function write(response: ServerResponse, text: string): void {
  if (response.writableLength + text.length > MAX_WAITING_BYTES) response.destroy()
  else response.write(text)
}

/** Writes an event. JSON has no line ends of its own, which would end the event. */
const eventText = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

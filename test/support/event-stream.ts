/** Server-sent events, read as a browser reads them. */
export interface StreamMessage {
  readonly name: string
  // Its reader knows what the server sends under that name.
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly data: any
}

/** Yields the messages of a stream, until it ends or the signal aborts. @throws Error if it is refused */
export async function* readEventStream(url: string, signal?: AbortSignal): AsyncGenerator<StreamMessage> {
  const response = await fetch(url, { signal: signal ?? null })
  if (!response.ok || response.body === null) throw new Error(`${response.status}: ${await response.text()}`)
  let rest = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ', 1)[0], line.replace(/^\w+: /, '')]),
      )
      const [name, data] = [fields.get('event'), fields.get('data')]
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) }
    }
  }
}

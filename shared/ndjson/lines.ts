import { StringDecoder } from 'node:string_decoder'

/**
 * Yields the lines of a byte stream, of any length. Only \n ends a line: JSON strings may hold other line
 * separators.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let begun: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...others] = (typeof chunk === 'string' ? chunk : decoder.write(chunk)).split('\n')
    begun.push(first)
    const last = others.pop()
    if (last === undefined) continue
    yield begun.join('')
    yield* others
    begun = [last]
  }
  yield begun.join('') + decoder.end()
}

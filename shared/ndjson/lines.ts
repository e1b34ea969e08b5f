/**
 * Yields the lines of a byte stream, of any length. Only \n ends a line: JSON strings may hold other line
 * separators. A byte order mark at the begin, which some editors and shells write, is no part of a line.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let begun: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...others] = (
      typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    ).split('\n')
    begun.push(first)
    const last = others.pop()
    if (last === undefined) continue
    yield begun.join('')
    yield* others
    begun = [last]
  }
  yield begun.join('') + decoder.decode()
}

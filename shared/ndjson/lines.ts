const NEWLINE = 0x0a

/** The lines of a byte stream, of any length. Only \n ends a line: JSON strings may hold other line separators. */
export async function* linesOf(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  let parts: Buffer[] = []
  for await (const data of chunks) {
    let chunk = Buffer.from(data)
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE)) {
      yield Buffer.concat([...parts, chunk.subarray(0, end)]).toString()
      parts = []
      chunk = chunk.subarray(end + 1)
    }
    if (chunk.length > 0) parts.push(chunk)
  }
  yield Buffer.concat(parts).toString()
}

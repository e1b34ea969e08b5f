import type { IncomingMessage } from 'node:http'

/**
 * Returns every line of a header, by its name in lower case. Node joins the lines of most names by commas, so
 * that they are read from the raw list. Text beyond ASCII is UTF-8.
 */
export function headerLines(
  { rawHeaders, headers }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  name: string,
): string[] {
  if (headers[name] === undefined) return []
  return rawHeaders.flatMap((item, index) =>
    index % 2 === 0 && item.toLowerCase() === name ? [utf8(rawHeaders[index + 1] ?? '')] : [],
  )
}

/** Decodes UTF-8. Node reads each byte of a header as a character. */
function utf8(line: string): string {
  return Buffer.from(line, 'latin1').toString('utf8')
}

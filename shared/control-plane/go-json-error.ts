/** What encoding/json says about a text that JSON.parse refused. */
export function goJsonError(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (
    /end of JSON input|Unterminated|Expected .* in JSON at position/.test(message) &&
    isTruncated(text, message)
  ) {
    return 'unexpected end of JSON input'
  }
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.search(/\S/))
  return `invalid character '${text[position] ?? ''}' looking for beginning of value`
}

function isTruncated(text: string, message: string): boolean {
  const position = /position (\d+)/.exec(message)?.[1]
  return position === undefined || Number(position) >= text.trimEnd().length
}

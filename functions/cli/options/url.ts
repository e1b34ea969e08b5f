import { UsageError } from '../usage.ts'

const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/123456789012/live'

/** @throws UsageError naming the flag, where the text is no URL of HTTP */
export function assertUrl(flag: string, text: string, example = QUEUE): void {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return
  throw new UsageError(`${flag}: "${text}" is not a URL such as ${example}`)
}

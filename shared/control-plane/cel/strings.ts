import type { Environment } from '@marcbachmann/cel-js'

/** Longest text that a function makes. */
const LONGEST = 1_000_000

/** The functions of Kubernetes' CEL library on strings that the evaluator lacks. */
export function registerStrings(environment: Environment): void {
  environment
    .registerFunction('string.charAt(int): string', (text: string, index: bigint) =>
      text.charAt(Number(index)),
    )
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      bounded(text.replaceAll(from, () => to)),
    )
    .registerFunction('isURL(string): bool', (text: string) => text.startsWith('/') || URL.canParse(text))
}

function bounded(text: string): string {
  if (text.length > LONGEST) throw new Error('string.replace(): the result is too long')
  return text
}

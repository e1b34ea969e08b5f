import { DeploymentError } from './settings/index.ts'

/** The context of CDK as it is: text from the command line, any JSON from cdk.json. */
export type RawContext = Readonly<Record<string, unknown>>

/** @throws DeploymentError for what is no text, or empty */
export function text(context: RawContext, key: string): string | undefined {
  const value = context[key]
  if (value === undefined || (typeof value === 'string' && value !== '')) return value
  throw new DeploymentError(`context ${key}: must be text`)
}

/** @throws DeploymentError for what is neither true nor false */
export function flag(context: RawContext, key: string): boolean | undefined {
  const value = context[key]
  if (value === undefined) return undefined
  if (['true', 'false'].includes(String(value))) return String(value) === 'true'
  throw new DeploymentError(`context ${key}: "${String(value)}" is neither true nor false`)
}

/** A pattern of text, and what is said where it does not match. */
export interface Form {
  readonly pattern: RegExp
  readonly what: string
}

/** @throws DeploymentError for text of another form */
export function formed(context: RawContext, key: string, { pattern, what }: Form): string | undefined {
  const value = text(context, key)
  if (value === undefined || pattern.test(value)) return value
  throw new DeploymentError(`context ${key}: "${value}" is not ${what}`)
}

/**
 * Reads a list, separated by commas or of JSON.
 * @throws DeploymentError for an element of another form
 */
export function list(context: RawContext, key: string, { pattern, what }: Form): string[] | undefined {
  const value = context[key]
  if (value === undefined) return undefined
  const parts: unknown[] =
    typeof value === 'string' ? value.split(',').map((one) => one.trim()) : [value].flat()
  const wrong = parts.find((one) => typeof one !== 'string' || !pattern.test(one))
  if (parts.length > 0 && wrong === undefined) return parts as string[]
  throw new DeploymentError(
    `context ${key}: "${String(wrong ?? '')}" is not ${what}; separate several by commas`,
  )
}

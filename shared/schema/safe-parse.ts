import * as v from 'valibot'
import { describeIssue } from './describe-issue.ts'

/** What is wrong with a value. */
export interface SchemaIssue {
  /** Names of members and positions in lists that lead to what is wrong; empty: the value itself. */
  readonly path: readonly (string | number)[]
  readonly message: string
  /** Members that a strict object does not know, if they are what is wrong. */
  readonly unknownMembers?: readonly string[] | undefined
}

type Parsed<T> =
  | { readonly success: true; readonly data: T; readonly issues?: undefined }
  | { readonly success: false; readonly data?: undefined; readonly issues: readonly SchemaIssue[] }

/** Checks a value. Problems without a message of the schema are described in English. */
export function safeParse<const Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): Parsed<v.InferOutput<Schema>> {
  const { success, output, issues } = v.safeParse(schema, value, ENGLISH)
  return success ? { success, data: output } : { success, issues: issues.map(issueOf) }
}

const ENGLISH = { message: describeIssue }

const issueOf = ({ type, path, message, input }: v.BaseIssue<unknown>): SchemaIssue => ({
  path: path?.map(({ key }) => key as string | number) ?? [],
  message,
  ...(type === 'unknown_members' && { unknownMembers: input as string[] }),
})

/** Describes issues in one line, such as `lanes.0.queue: Invalid URL; Unrecognized key: "size"`. */
export const describeIssues = (issues: readonly SchemaIssue[]): string =>
  issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ` : '') + message).join('; ')

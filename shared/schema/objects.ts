import * as v from 'valibot'
import { isRecord } from '../values/index.ts'

/*
 * Objects and records to use in place of valibot's. Those take a list for an object. They say of a missing
 * member only that it is missing, where its own message says what must be given, and name one unknown member
 * of several. Their records drop `constructor` and `prototype`, which objects of a cluster may have as names.
 * Here, a missing member is checked as undefined. Types are valibot's.
 */

type Config = v.Config<v.BaseIssue<unknown>>
type Members = Readonly<Record<string, unknown>>
type Issues = [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]

/** What valibot calls a dataset. */
interface Checked {
  /** False if the value is not of its type. Other issues do not keep later checks from running. */
  typed: boolean
  value: unknown
  issues?: Issues | undefined
}

interface CheckedMembers extends Checked {
  readonly value: Record<string, unknown>
}

/** Checks an object and leaves out members that it does not know. @param message where it is no object */
export const object = <const Entries extends v.ObjectEntries>(
  entries: Entries,
  message?: string,
): v.ObjectSchema<Entries, string | undefined> =>
  schemaOf({ type: 'object', entries, message }, membersCheck(entries))

/**
 * Checks an object and refuses members that it does not know: one issue names all of them.
 * @param message where it is no object
 */
export function strictObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
  message?: string,
): v.StrictObjectSchema<Entries, undefined> {
  const check = membersCheck(entries)
  return schemaOf({ type: 'strict_object', entries, message }, (input, config) => {
    const checked = check(input, config)
    const unknown = unknownMembers(input, entries)
    if (unknown.length > 0) addIssues(checked, [issueOf('unknown_members', unknown, config)])
    return checked
  })
}

/** Checks an object and passes on members that it does not know. */
export function looseObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.LooseObjectSchema<Entries, undefined> {
  const check = membersCheck(entries)
  return schemaOf({ type: 'loose_object', entries }, (input, config) => {
    const checked = check(input, config)
    for (const name of unknownMembers(input, entries))
      if (name !== '__proto__') checked.value[name] = input[name]
    return checked
  })
}

/** Checks an object of any names; `__proto__` is left out. @param message where it is no object */
export const record = <const Key extends v.GenericSchema<string>, const Value extends v.GenericSchema>(
  key: Key,
  value: Value,
  message?: string,
): v.RecordSchema<Key, Value, string | undefined> =>
  schemaOf({ type: 'record', key, value, message }, (input, config) => {
    const checked: CheckedMembers = { typed: true, value: {}, issues: undefined }
    for (const name of Object.keys(input)) {
      if (name === '__proto__') continue
      const hasName = key['~run']({ value: name }, config).issues === undefined
      const member: Checked = hasName
        ? value['~run']({ value: input[name] }, config)
        : { typed: false, value: undefined, issues: [issueOf('name', name, config)] }
      addMember(checked, input, name, member)
      if (checked.issues && config.abortEarly) return checked
    }
    return checked
  })

/**
 * Makes a member that counts as absent if it is wrong. Nothing is said of what is wrong, so its check ends at
 * the first issue: a hostile message of 1 MiB may have half a million.
 */
export function passedOver<const Member extends v.GenericSchema>(
  schema: Member,
): v.SchemaWithFallback<v.OptionalSchema<Member, undefined>, undefined> {
  const member = v.optional(schema)
  return {
    ...member,
    fallback: undefined,
    '~run'({ value }) {
      const checked = member['~run']({ value }, FIRST_ISSUE)
      return checked.issues ? { typed: true, value: undefined } : checked
    },
  }
}

const FIRST_ISSUE: Config = { abortEarly: true }

interface Parts {
  readonly type: string
  readonly message?: string | undefined
  readonly [part: string]: unknown
}

/** Makes a schema that has the type of one of valibot's, whose code is not needed. */
function schemaOf<Schema>(parts: Parts, check: (input: Members, config: Config) => CheckedMembers): Schema {
  const schema = {
    ...v.unknown(),
    ...parts,
    expects: 'Object',
    '~run'({ value }: v.UnknownDataset, config: Config): Checked {
      if (isRecord(value)) return check(value, config)
      const { type, message } = parts
      return {
        typed: false,
        value,
        issues: [issueOf(type, value, message === undefined ? config : { message })],
      }
    },
  }
  return schema as Schema
}

function membersCheck(entries: v.ObjectEntries): (input: Members, config: Config) => CheckedMembers {
  const members = Object.entries(entries).map(([name, schema]) => ({
    name,
    schema,
    mayBeMissing: OPTIONAL.has(schema.type) && (schema as { default?: unknown }).default === undefined,
  }))
  return (input, config) => {
    const checked: CheckedMembers = { typed: true, value: {}, issues: undefined }
    for (const { name, schema, mayBeMissing } of members) {
      const value = input[name]
      if (mayBeMissing && value === undefined && !(name in input)) continue
      addMember(checked, input, name, schema['~run']({ value }, config))
      if (checked.issues && config.abortEarly) return checked
    }
    return checked
  }
}

const OPTIONAL: ReadonlySet<string> = new Set(['optional', 'nullish'])

function addMember(checked: CheckedMembers, input: Members, name: string, member: Checked): void {
  const { typed, value, issues } = member
  if (!typed) checked.typed = false
  if (value !== undefined || name in input) checked.value[name] = value
  if (issues === undefined) return
  const item = { type: 'object', origin: 'value', input, key: name, value: input[name] } as const
  for (const issue of issues) Object.assign(issue, { path: [item, ...(issue.path ?? [])] })
  addIssues(checked, issues)
}

function addIssues(checked: Checked, issues: Issues): void {
  if (checked.issues === undefined) checked.issues = issues
  // Not all at once: a hostile message may have more of them than a call may have arguments.
  else for (const issue of issues) checked.issues.push(issue)
}

const unknownMembers = (input: Members, entries: v.ObjectEntries): string[] =>
  Object.keys(input).filter((name) => !Object.hasOwn(entries, name))

function issueOf(type: string, input: unknown, { message }: Config): v.BaseIssue<unknown> {
  const issue = { kind: 'schema', type, input, expected: null, received: '', message: '' } as const
  return { ...issue, message: typeof message === 'function' ? message(issue) : (message ?? '') }
}

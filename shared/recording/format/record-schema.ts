import * as v from 'valibot'
import { dateTime, describeIssues, finite, looseObject, record, safeParse } from '../../schema/index.ts'
import { parseJson } from '../../values/index.ts'
import { RecordingError } from './errors.ts'
import { isPlainRecord } from './plain-record.ts'
import { RECORD_VERSION, type RecordingLine } from './record.ts'

const text = v.pipe(v.string(), v.minLength(1))
const worker = { worker: text, request: v.optional(text) }
const ofService = { cluster: text, namespace: text, service: text, ownerKind: v.optional(text) }
const texts = v.array(text)

/** Validated as far as a replay needs it; other members are passed on unchanged. */
const endpoint = looseObject({
  addresses: v.pipe(v.array(text), v.minLength(1)),
  targetRef: v.optional(looseObject({ name: v.optional(v.string()) })),
})
const ports = v.array(looseObject({}))
const fields = looseObject({})

const KINDS = {
  start: {
    ...worker,
    cluster: text,
    share: finite(),
    settings: record(v.string(), v.union([v.string(), finite(), v.boolean()])),
  },
  snapshot: {
    ...worker,
    ...ofService,
    slice: text,
    version: text,
    addressType: text,
    ports,
    endpoints: v.array(endpoint),
  },
  gone: { ...worker, ...ofService, slice: text, version: text },
  write: {
    ...worker,
    ...ofService,
    slice: text,
    action: v.picklist(['create', 'update', 'delete']),
    addressType: text,
    versionBefore: v.optional(text),
    versionAfter: v.optional(text),
    ports: v.optional(ports),
    came: v.array(endpoint),
    went: v.array(looseObject({ endpoint, cause: text, to: v.optional(text) })),
    changed: v.array(looseObject({ addresses: texts, target: v.optional(text), from: fields, to: fields })),
    pods: record(v.string(), v.string()),
    trigger: v.optional(text),
    message: v.optional(
      looseObject({
        ids: v.optional(texts),
        lane: v.optional(v.picklist(['live', 'sweep'])),
        sentAt: v.optional(text),
        receiveCount: finite(),
      }),
    ),
    sync: v.optional(text),
    hold: v.optional(text),
    fights: v.optional(texts),
  },
  change: {
    ...worker,
    ...ofService,
    about: texts,
    count: finite(),
    ages: v.optional(v.array(finite())),
    bytes: v.optional(finite()),
    seen: v.optional(finite()),
    lane: v.optional(v.picklist(['live', 'sweep'])),
    trigger: v.optional(text),
    pods: v.optional(texts),
  },
  lost: { ...worker, cluster: text, count: finite() },
} as const satisfies Record<RecordingLine['kind'], object>

const head = looseObject({ v: finite(), kind: text })

const schemaOf = (kind: RecordingLine['kind']) =>
  looseObject({
    v: v.literal(RECORD_VERSION),
    kind: v.literal(kind),
    time: dateTime(),
    ...KINDS[kind],
  })

const SCHEMAS = new Map<string, ReturnType<typeof schemaOf>>(
  (Object.keys(KINDS) as RecordingLine['kind'][]).map((kind) => [kind, schemaOf(kind)]),
)

/**
 * Parses a line of a recording. Unknown members stay in the record.
 * @returns `undefined` for an unknown kind
 * @throws RecordingError with the problem, without quoting the line
 */
export function parseRecord(line: string): RecordingLine | undefined {
  const value = parseJson(line)
  if (value === undefined)
    throw new RecordingError(`is not JSON, or is cut off after ${line.length} characters`)
  return isPlainRecord(value) || checkRecord(value) ? value : undefined
}

/**
 * Validates a line by the schema of its kind.
 * @returns whether its kind is known
 * @throws RecordingError with the problem, without quoting the line
 */
export function checkRecord(line: unknown): line is RecordingLine {
  const { v, kind } = checked(head, line)
  if (v !== RECORD_VERSION)
    throw new RecordingError(`is of version ${v}; this program reads version ${RECORD_VERSION}`)
  const schema = SCHEMAS.get(kind)
  if (schema === undefined) return false
  // The input itself was validated; a copy would only take time.
  checked(schema, line)
  return true
}

function checked<const Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): v.InferOutput<Schema> {
  const parsed = safeParse(schema, value)
  if (parsed.success) return parsed.data
  throw new RecordingError(`is not a record: ${describeIssues(parsed.issues)}`)
}

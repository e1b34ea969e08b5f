import * as z from 'zod/mini'
import { safeParse } from '../../schema/index.ts'
import { RecordingError } from './errors.ts'
import { isPlainRecord } from './plain-record.ts'
import { RECORD_VERSION, type RecordingLine } from './record.ts'

const text = z.string().check(z.minLength(1))
const worker = { worker: text, request: z.optional(text) }
const ofService = { cluster: text, namespace: text, service: text, ownerKind: z.optional(text) }
const texts = z.array(text)

/** Validated as far as a replay needs it; other members are passed on unchanged. */
const endpoint = z.looseObject({
  addresses: z.array(text).check(z.minLength(1)),
  targetRef: z.optional(z.looseObject({ name: z.optional(z.string()) })),
})
const ports = z.array(z.looseObject({}))
const fields = z.looseObject({})

const KINDS = {
  start: {
    ...worker,
    cluster: text,
    share: z.number(),
    settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  },
  snapshot: {
    ...worker,
    ...ofService,
    slice: text,
    version: text,
    addressType: text,
    ports,
    endpoints: z.array(endpoint),
  },
  gone: { ...worker, ...ofService, slice: text, version: text },
  write: {
    ...worker,
    ...ofService,
    slice: text,
    action: z.enum(['create', 'update', 'delete']),
    addressType: text,
    versionBefore: z.optional(text),
    versionAfter: z.optional(text),
    ports: z.optional(ports),
    came: z.array(endpoint),
    went: z.array(z.looseObject({ endpoint, cause: text, to: z.optional(text) })),
    changed: z.array(z.looseObject({ addresses: texts, target: z.optional(text), from: fields, to: fields })),
    pods: z.record(z.string(), z.string()),
    trigger: z.optional(text),
    message: z.optional(
      z.looseObject({
        ids: z.optional(texts),
        lane: z.optional(z.enum(['live', 'sweep'])),
        sentAt: z.optional(text),
        receiveCount: z.number(),
      }),
    ),
    sync: z.optional(text),
    hold: z.optional(text),
    fights: z.optional(texts),
    postponed: z.optional(z.number()),
  },
  change: {
    ...worker,
    ...ofService,
    about: texts,
    count: z.number(),
    ages: z.optional(z.array(z.number())),
    bytes: z.optional(z.number()),
    seen: z.optional(z.number()),
    lane: z.optional(z.enum(['live', 'sweep'])),
    trigger: z.optional(text),
    pods: z.optional(texts),
  },
  lost: { ...worker, cluster: text, count: z.number() },
} as const satisfies Record<RecordingLine['kind'], object>

const head = z.looseObject({ v: z.number(), kind: text })

const schemaOf = (kind: RecordingLine['kind']) =>
  z.looseObject({
    v: z.literal(RECORD_VERSION),
    kind: z.literal(kind),
    time: z.iso.datetime({ offset: true }),
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
  return isPlainRecord(value) || checkRecord(value) ? value : undefined
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // V8's SyntaxError quotes the line, whose content is untrusted.
    throw new RecordingError(`is not JSON, or is cut off after ${line.length} characters`)
  }
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

function checked<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = safeParse(schema, value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) =>
    [...(path.length > 0 ? [path.join('.')] : []), message].join(': '),
  )
  throw new RecordingError(`is not a record: ${problems.join('; ')}`)
}

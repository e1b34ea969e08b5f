import { DATE_TIME } from '../../schema/index.ts'
import { isRecord, parseJson } from '../../values/index.ts'
import { RecordingError } from './errors.ts'
import { RECORD_VERSION, type RecordingLine } from './record.ts'

/*
 * Records are checked by functions and not by a schema: a day of a busy cluster has millions of them, and a
 * schema takes longer for one than parsing its JSON does.
 */

/** Reports whether a value may stand in a place. */
type Check = (value: unknown) => boolean
type Members = Readonly<Record<string, Check>>

const isText: Check = (value) => typeof value === 'string' && value !== ''
const isString: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => Number.isFinite(value)
const isFlag: Check = (value) => typeof value === 'boolean'
const isTime: Check = (value) => typeof value === 'string' && DATE_TIME.test(value)
const isOneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value)
const isNoneOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const isMapOf =
  (check: Check): Check =>
  (value) =>
    isRecord(value) && Object.values(value).every(check)

/** Checks an object as far as a replay needs it; other members are passed on unchanged. */
function isWith(members: Members): Check {
  const checks = Object.entries(members)
  return (value) => isRecord(value) && checks.every(([name, check]) => check(value[name]))
}

const isTexts = isListOf(isText)
const isLane = isOneOf('live', 'sweep')
const isEndpoint = isWith({
  addresses: (value) => isTexts(value) && (value as unknown[]).length > 0,
  targetRef: isNoneOr(isWith({ name: isNoneOr(isString) })),
})
const isMessage = isWith({
  ids: isNoneOr(isTexts),
  lane: isNoneOr(isLane),
  sentAt: isNoneOr(isText),
  receiveCount: isNumber,
})

const OF_ALL = { time: isTime, worker: isText, request: isNoneOr(isText), cluster: isText }
const OF_SERVICE = { ...OF_ALL, namespace: isText, service: isText, ownerKind: isNoneOr(isText) }

const KINDS = {
  start: {
    ...OF_ALL,
    share: isNumber,
    settings: isMapOf((value) => isString(value) || isNumber(value) || isFlag(value)),
    isFirst: isNoneOr(isFlag),
  },
  snapshot: {
    ...OF_SERVICE,
    slice: isText,
    version: isText,
    addressType: isText,
    ports: isListOf(isRecord),
    endpoints: isListOf(isEndpoint),
  },
  gone: { ...OF_SERVICE, slice: isText, version: isText },
  write: {
    ...OF_SERVICE,
    slice: isText,
    action: isOneOf('create', 'update', 'delete'),
    addressType: isText,
    versionBefore: isNoneOr(isText),
    versionAfter: isNoneOr(isText),
    ports: isNoneOr(isListOf(isRecord)),
    came: isListOf(isEndpoint),
    went: isListOf(isWith({ endpoint: isEndpoint, cause: isText, to: isNoneOr(isText) })),
    changed: isListOf(isWith({ addresses: isTexts, target: isNoneOr(isText), from: isRecord, to: isRecord })),
    pods: isMapOf(isString),
    trigger: isNoneOr(isText),
    message: isNoneOr(isMessage),
    sync: isNoneOr(isText),
    hold: isNoneOr(isText),
    fights: isNoneOr(isTexts),
  },
  change: {
    ...OF_SERVICE,
    about: isTexts,
    count: isNumber,
    ages: isNoneOr(isListOf(isNumber)),
    bytes: isNoneOr(isNumber),
    seen: isNoneOr(isNumber),
    lane: isNoneOr(isLane),
    trigger: isNoneOr(isText),
    pods: isNoneOr(isTexts),
  },
  lost: { ...OF_ALL, count: isNumber },
} as const satisfies Record<RecordingLine['kind'], Members>

const CHECKS = new Map(Object.entries<Members>(KINDS).map(([kind, of]) => [kind, Object.entries(of)]))

/**
 * Parses a line of a recording. Unknown members stay in the record.
 * @returns `undefined` for an unknown kind
 * @throws RecordingError with the problem, without quoting the line
 */
export function parseRecord(line: string): RecordingLine | undefined {
  const value = parseJson(line)
  if (value === undefined)
    throw new RecordingError(`is not JSON, or is cut off after ${line.length} characters`)
  const { v, kind }: Readonly<Record<string, unknown>> = isRecord(value) ? value : {}
  if (!isRecord(value) || typeof kind !== 'string' || typeof v !== 'number')
    throw new RecordingError('is not a record: it is no object with a version "v" and a "kind"')
  if (v !== RECORD_VERSION)
    throw new RecordingError(`is of version ${v}; this program reads version ${RECORD_VERSION}`)
  const [wrong] = CHECKS.get(kind)?.find(([name, check]) => !check(value[name])) ?? []
  if (wrong !== undefined)
    throw new RecordingError(`is not a record: "${wrong}" is missing, or not of the documented form`)
  return CHECKS.has(kind) ? (value as unknown as RecordingLine) : undefined
}

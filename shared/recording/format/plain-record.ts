import { DATE_TIME } from '../../schema/index.ts'
import { isRecord } from '../../values/index.ts'
import { type ChangeRecord, RECORD_VERSION, type WriteRecord } from './record.ts'

type Members = Readonly<Record<string, unknown>>

/**
 * Reports whether a line is a valid write or change. It only saves time, as nearly all lines are one of
 * these: the schema accepts every line that it accepts, and checks every line that it rejects.
 */
export function isPlainRecord(line: unknown): line is WriteRecord | ChangeRecord {
  if (!isRecord(line)) return false
  const { v, kind, time } = line
  if (v !== RECORD_VERSION || typeof time !== 'string' || !DATE_TIME.test(time)) return false
  if (kind === 'write') return isOfService(line) && isWrite(line)
  return kind === 'change' && isOfService(line) && isChange(line)
}

const isOfService = ({ worker, request, cluster, namespace, service, ownerKind }: Members): boolean =>
  isText(worker) &&
  isNoneOr(isText, request) &&
  isText(cluster) &&
  isText(namespace) &&
  isText(service) &&
  isNoneOr(isText, ownerKind)

function isWrite(line: Members): boolean {
  const { slice, action, addressType, versionBefore, versionAfter, ports, came, went, changed } = line
  const { pods, trigger, message, sync, hold, fights } = line
  return (
    isText(slice) &&
    (action === 'update' || action === 'create' || action === 'delete') &&
    isText(addressType) &&
    isNoneOr(isText, versionBefore) &&
    isNoneOr(isText, versionAfter) &&
    isListOf(isAlteration, changed) &&
    isListOf(isEndpoint, came) &&
    isListOf(isRemoval, went) &&
    isTextMap(pods) &&
    isNoneOr(isText, trigger) &&
    isNoneOr(isMessage, message) &&
    isNoneOr(isText, sync) &&
    isNoneOr(isText, hold) &&
    isNoneOr((value) => isListOf(isRecord, value), ports) &&
    isNoneOr((value) => isListOf(isText, value), fights)
  )
}

const isChange = ({ about, count, ages, bytes, seen, lane, trigger, pods }: Members): boolean =>
  isListOf(isText, about) &&
  isNumber(count) &&
  isNoneOr((value) => isListOf(isNumber, value), ages) &&
  isNoneOr(isNumber, bytes) &&
  isNoneOr(isNumber, seen) &&
  isNoneOr(isLane, lane) &&
  isNoneOr(isText, trigger) &&
  isNoneOr((value) => isListOf(isText, value), pods)

const isEndpoint = (value: unknown): boolean =>
  isRecord(value) &&
  isListOf(isText, value.addresses) &&
  value.addresses.length > 0 &&
  (value.targetRef === undefined ||
    (isRecord(value.targetRef) &&
      (value.targetRef.name === undefined || typeof value.targetRef.name === 'string')))

const isRemoval = (value: unknown): boolean =>
  isRecord(value) && isEndpoint(value.endpoint) && isText(value.cause) && isNoneOr(isText, value.to)

const isAlteration = (value: unknown): boolean =>
  isRecord(value) &&
  isListOf(isText, value.addresses) &&
  isNoneOr(isText, value.target) &&
  isRecord(value.from) &&
  isRecord(value.to)

const isMessage = (value: unknown): boolean =>
  isRecord(value) &&
  isNoneOr((ids) => isListOf(isText, ids), value.ids) &&
  isNoneOr(isLane, value.lane) &&
  isNoneOr(isText, value.sentAt) &&
  isNumber(value.receiveCount)

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isNumber = (value: unknown): boolean => Number.isFinite(value)
const isLane = (value: unknown): boolean => value === 'live' || value === 'sweep'
const isNoneOr = (isRight: (value: unknown) => boolean, value: unknown): boolean =>
  value === undefined || isRight(value)
const isListOf = (isRight: (value: unknown) => boolean, value: unknown): value is unknown[] =>
  Array.isArray(value) && value.every(isRight)

function isTextMap(value: unknown): boolean {
  if (!isRecord(value)) return false
  for (const name in value) if (typeof value[name] !== 'string') return false
  return true
}

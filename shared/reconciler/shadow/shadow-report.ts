import { type KeyText, keyText, parseKeyText, type ServiceKey } from '../../changes/index.ts'
import type { Log } from '../../telemetry/index.ts'
import { differencesOf, type ShadowDifference, type ShadowSync } from './shadow-sync.ts'

export interface Compared {
  readonly key: ServiceKey
  /** `unmanaged`: the Service is gone or none that Sliceflow would manage. */
  readonly result: 'same' | 'different' | 'invalid' | 'unmanaged'
  /** Number of differences of each kind; empty unless the result is `different`. */
  readonly differences: ReadonlyMap<ShadowDifference['kind'], number>
}

interface ShadowReportOptions {
  readonly logger: Log
  readonly onCompared?: ((compared: Compared) => void) | undefined
}

/** Examples in a line of the log: enough to see what is going on, and no more. */
const EXAMPLES = 3

/**
 * Creates a function that reports what is new of a Service: differences that were not reported yet, or that
 * they are over. It remembers what it has reported of the Services that differ, and nothing of the others.
 */
export function createShadowReport({
  logger,
  onCompared,
}: ShadowReportOptions): (key: ServiceKey, sync: ShadowSync) => void {
  const reported = new Map<KeyText, string>()

  function log(key: ServiceKey, sync: ShadowSync): void {
    const text = keyText(key)
    const fields = parseKeyText(text)
    const news = newsOf(sync)
    const before = reported.get(text)
    if (before === news) return
    if (news !== undefined) reported.set(text, news)
    else reported.delete(text)
    if (sync.kind === 'invalid')
      logger.warn({ ...fields, problem: sync.problem }, 'shadow: would leave the slices as they are')
    else if (sync.kind === 'compared' && news !== undefined)
      logger.warn({ ...fields, ...summaryOf(sync.differences) }, 'shadow: would publish something else')
    else logger.info(fields, 'shadow: no longer differs')
  }

  return (key, sync) => {
    log(key, sync)
    onCompared?.({ key, result: resultOf(sync), differences: countsOf(differencesOf(sync)) })
  }
}

/** Returns what to say about a sync; `undefined` when there is nothing. */
function newsOf(sync: ShadowSync): string | undefined {
  if (sync.kind === 'invalid') return sync.problem
  if (sync.kind === 'unmanaged' || sync.differences.length === 0) return undefined
  return JSON.stringify(sync.differences.map(describeDifference).sort())
}

function resultOf(sync: ShadowSync): Compared['result'] {
  if (sync.kind !== 'compared') return sync.kind
  return sync.differences.length === 0 ? 'same' : 'different'
}

function countsOf(differences: readonly ShadowDifference[]): ReadonlyMap<ShadowDifference['kind'], number> {
  const groups = Map.groupBy(differences, ({ kind }) => kind)
  return new Map([...groups].map(([kind, { length }]) => [kind, length]))
}

const summaryOf = (differences: readonly ShadowDifference[]): object => ({
  differences: differences.length,
  kinds: Object.fromEntries(countsOf(differences)),
  examples: differences.slice(0, EXAMPLES).map(describeDifference),
})

/** Describes a difference: the endpoint, what the cluster has, and what Sliceflow would publish. */
export function describeDifference({
  kind,
  addressType,
  endpoint,
  slice,
  expected,
  actual,
}: ShadowDifference): string {
  if (kind === 'object') return `${endpoint}: would be ${expected}`
  const place = `${endpoint} (${addressType})`
  if (kind === 'missing') return `${place}: no slice has it, would be ${expected}`
  if (kind === 'unexpected') return `${place}: slice ${slice} has it, would not be published`
  if (kind === 'duplicate') return `${place}: slice ${slice} has it once more`
  return `${place}: ${kind} in slice ${slice} is ${actual || 'not set'}, would be ${expected || 'not set'}`
}

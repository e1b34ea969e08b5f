import type { EndpointSlice } from '../types.ts'
import type { SliceWrite } from './types.ts'

/**
 * Returns the newest entry of a slice's managedFields: who wrote it last, and when. Of several of one second
 * it is the last one, and one without a time counts as older than the others.
 * @param counts whether a field manager's writes count; default: all do
 * @example
 * ```ts
 * const managedFields = [{ manager: 'kubectl', operation: 'Update', time: '2026-01-01T00:00:00Z' }]
 * lastWriteOf({ metadata: { managedFields } })?.manager // => 'kubectl'
 * ```
 */
export function lastWriteOf(
  { metadata }: Pick<EndpointSlice, 'metadata'>,
  counts: (manager: string) => boolean = () => true,
): SliceWrite | undefined {
  const entries: unknown = metadata?.managedFields
  let last: SliceWrite | undefined
  for (const entry of Array.isArray(entries) ? entries : []) {
    const { manager, operation = '', time } = (entry ?? {}) as Partial<SliceWrite>
    if (typeof manager !== 'string' || manager === '' || !counts(manager)) continue
    if (last === undefined || writtenAt({ time }) >= writtenAt(last))
      last = { manager, operation, ...(time !== undefined && { time }) }
  }
  return last
}

/**
 * Returns the time of a write in milliseconds since the epoch; 0 if it has none.
 * @example
 * ```ts
 * writtenAt({ time: '1970-01-01T00:00:01Z' }) // => 1000
 * ```
 */
export const writtenAt = ({ time = '' }: Pick<SliceWrite, 'time'>): number => Date.parse(time) || 0

import { labelKey, labelValue, quoted } from '../../kubernetes/index.ts'
import { isRecord } from '../../values/index.ts'
import { isAbsent, type ReportFault } from '../faults.ts'

/** Entries, and bytes of keys and values, that an import takes over at most. */
const MAX_ENTRIES = 100
const MAX_BYTES = 65_536
/** Prefixes of what says whose an import is and what belongs to it: no export may say that. */
const RESERVED = ['sliceflow.dev/', 'multicluster.kubernetes.io/']
/** Characters of a key that a message shows at most. */
const MAX_SHOWN = 80

type MetadataField = 'exportedLabels' | 'exportedAnnotations'

/** Labels or annotations for an import; entries that it cannot have are skipped and reported. */
export function readExportedMap(
  map: unknown,
  field: MetadataField,
  reportFault: ReportFault,
): Readonly<Record<string, string>> {
  const path = `spec.${field}`
  if (isAbsent(map)) return {}
  if (!isRecord(map)) {
    reportFault(`${path} is not a map`)
    return {}
  }
  const entries = Object.entries(map)
  if (entries.length > MAX_ENTRIES || bytesOf(entries) > MAX_BYTES) {
    reportFault(`all of ${path}, as it has more than ${MAX_ENTRIES} entries or ${MAX_BYTES} bytes`)
    return {}
  }
  const sound: [string, string][] = []
  for (const [key, value] of entries) {
    const fault = entryFault(key, value, field)
    if (fault === undefined) sound.push([key, value as string])
    else reportFault(`${path}[${quoted(key.slice(0, MAX_SHOWN))}] ${fault}`)
  }
  return Object.fromEntries(sound)
}

function bytesOf(entries: readonly (readonly [string, unknown])[]): number {
  const bytes = (text: unknown): number => (typeof text === 'string' ? Buffer.byteLength(text) : 0)
  return entries.reduce((sum, [key, value]) => sum + bytes(key) + bytes(value), 0)
}

function entryFault(key: string, value: unknown, field: MetadataField): string | undefined {
  const isLabel = field === 'exportedLabels'
  // Upper case is allowed in the prefix of an annotation's key, though not of a label's.
  if (labelKey(isLabel ? key : key.toLowerCase()).length > 0) return 'is not a valid key'
  if (RESERVED.some((prefix) => key.toLowerCase().startsWith(prefix)))
    return 'is for importing clusters to set'
  if (typeof value !== 'string') return 'is not a string'
  return isLabel && labelValue(value).length > 0 ? 'is not a valid label value' : undefined
}

import { quoted } from '../../../kubernetes/index.ts'
import { formatType, isDyn, type Type } from '../types/index.ts'

/** What is wrong with a text for `format`, and with which argument; without one it is the text itself. */
export interface FormatProblem {
  readonly message: string
  readonly index?: number
}

const ANY_TEXT = 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps'
const CLAUSES: Readonly<
  Record<string, { name: string; accepts: readonly string[]; told: string } | undefined>
> = {
  s: { name: 'string', accepts: [], told: ANY_TEXT },
  d: { name: 'decimal', accepts: ['int', 'uint'], told: 'integers' },
  f: { name: 'fixed-point', accepts: ['int', 'uint', 'double'], told: 'doubles' },
  e: { name: 'scientific', accepts: ['int', 'uint', 'double'], told: 'doubles' },
  b: { name: 'binary', accepts: ['int', 'uint', 'bool'], told: 'integers and bools' },
  o: { name: 'octal', accepts: ['int', 'uint'], told: 'integers' },
  x: {
    name: 'hex',
    accepts: ['int', 'uint', 'string', 'bytes'],
    told: 'integers, byte buffers, and strings',
  },
  X: {
    name: 'hex',
    accepts: ['int', 'uint', 'string', 'bytes'],
    told: 'integers, byte buffers, and strings',
  },
}

/** What can be told to be wrong before the arguments are known. */
export function formatProblems(text: string, types: readonly Type[]): FormatProblem[] {
  let used = 0
  for (const [, verb = ''] of text.matchAll(/%(?:\.\d+)?([\s\S]?)/g)) {
    if (verb === '%') continue
    const clause = CLAUSES[verb]
    if (!clause) {
      return [
        {
          message: `could not parse formatting clause: unrecognized formatting clause ${quoted(verb)}`,
        },
      ]
    }
    const type = types[used]
    if (!type) return [{ message: `index ${used} out of range` }]
    const [shown = ''] = formatType(type).split('(')
    if (clause.accepts.length > 0 && !isDyn(type) && !clause.accepts.includes(shown)) {
      const message = `error during formatting: ${clause.name} clause can only be used on ${clause.told}, was given ${shown}`
      return [{ message, index: used }]
    }
    used++
  }
  if (used === types.length) return []
  return [{ message: `too many arguments supplied to string.format (expected ${used}, got ${types.length})` }]
}

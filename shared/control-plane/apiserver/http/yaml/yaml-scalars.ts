/** Position of a text. */
export interface ScalarPlace {
  readonly column: number
  /** Indentation of the lines that follow, if there are any. */
  readonly indent: number
  /** Keys stay on one line. */
  readonly isKey: boolean
}

/** A line is broken at the first space behind this column. */
const WIDTH = 80

/** Texts that plain YAML 1.1 would read as something else: null, booleans, numbers, dates. */
const AMBIGUOUS = [
  /^(~|null|Null|NULL|)$/,
  /^(y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF|true|True|TRUE|false|False|FALSE)$/,
  /^[-+]?(0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)$/,
  /^[-+]?(\.[0-9][0-9_]*|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?$/,
  /^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/,
  /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/,
  /^\d{4}-\d\d?-\d\d?([Tt ]\d\d?:\d\d:\d\d(\.\d*)?\s*(Z|[-+]\d\d?(:\d\d)?)?)?$/,
]
/** Characters that cannot be written as they are, even between quotes. */
const SPECIAL = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u
/** Texts that would be punctuation, or be lost, without quotes. */
const NOT_PLAIN = /^[\s#,[\]{}&*!|>'"%@`]|^[-?:](\s|$)|:(\s|$)|\s#|\s$/

/** Writes a text in goyaml.v2's style: plain, else in single quotes, as a block, or in double quotes. */
export function scalarText(text: string, place: ScalarPlace): string {
  if (AMBIGUOUS.some((pattern) => pattern.test(text)) || SPECIAL.test(text)) return doubleQuoted(text, place)
  if (text.includes('\n')) {
    const fits = !place.isKey && !/ \n/.test(text) && !text.endsWith(' ')
    return fits ? literal(text, place) : doubleQuoted(text, place)
  }
  if (!NOT_PLAIN.test(text)) return folded(text, place)
  return folded(`'${text.replaceAll("'", "''")}'`, place)
}

/** Writes lines as they are, behind a header that says how the last line ends. */
function literal(text: string, { indent }: ScalarPlace): string {
  const hint = /^[ \n]/.test(text) ? '2' : ''
  const keep = /(^|\n)\n$/.test(text) ? '+' : ''
  const chomp = text.endsWith('\n') ? keep : '-'
  const lines = text.replace(/\n$/, '').split('\n')
  const shown = lines.map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`))
  return `|${hint}${chomp}\n${shown.join('\n')}`
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '\\0'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\x1b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x85', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
])

function doubleQuoted(text: string, place: ScalarPlace): string {
  const escaped = [...text].map((rune) =>
    ESCAPES.has(rune) || SPECIAL.test(rune) ? (ESCAPES.get(rune) ?? hexadecimal(rune)) : rune,
  )
  return folded(`"${escaped.join('')}"`, place)
}

function hexadecimal(rune: string): string {
  const code = rune.codePointAt(0) ?? 0
  const digits = (width: number): string => code.toString(16).toUpperCase().padStart(width, '0')
  if (code <= 0xff) return `\\x${digits(2)}`
  return code <= 0xffff ? `\\u${digits(4)}` : `\\U${digits(8)}`
}

/** Folds a text: single spaces become line breaks where the line has passed the width. */
function folded(text: string, { column, indent, isKey }: ScalarPlace): string {
  if (isKey) return text
  const runes = [...text]
  let at = column
  let out = ''
  for (const [index, rune] of runes.entries()) {
    const single = rune === ' ' && runes[index - 1] !== ' ' && runes[index + 1] !== ' '
    const inside = index > 1 && index < runes.length - 2
    if (single && inside && at > WIDTH) {
      out += `\n${' '.repeat(indent)}`
      at = indent
    } else {
      out += rune
      at++
    }
  }
  return out
}

import type { Scalar, ScalarTag, YAMLParseError } from 'yaml'
import { quoted } from '../../../kubernetes/index.ts'
import { numberOf } from '../../exact-numbers.ts'
import type { JsonValue } from '../../json.ts'
import { yaml } from '../../yaml.ts'

/** A YAML text, read as Go's libraries read it. */
export interface YamlText {
  /** Of members that stand twice the last one counts. */
  readonly value: JsonValue
  /** A line for every such member, as `line 7: key "a" already set in map`. */
  readonly duplicates: readonly string[]
}

/** Words that YAML 1.1 takes for true and false, beside those of 1.2. */
const WORDS: readonly (readonly [RegExp, boolean])[] = [
  [/^(?:y|Y|yes|Yes|YES|on|On|ON)$/, true],
  [/^(?:n|N|no|No|NO|off|Off|OFF)$/, false],
]
const WORD_TAGS = WORDS.map(
  ([test, value]): ScalarTag => ({
    identify: (given) => given === value,
    default: true,
    tag: 'tag:yaml.org,2002:bool',
    test,
    resolve: () => value,
  }),
)

/** Integers are kept as `parseJson` keeps them. Throws Error with Go's text, as far as it is known, for what is no YAML. */
export function readYaml(text: string): YamlText {
  const document = yaml().parseDocument(text, {
    customTags: (tags) => [...tags, ...WORD_TAGS],
    intAsBigInt: true,
  })
  const [broken] = document.errors.filter(({ code }) => code !== 'DUPLICATE_KEY')
  if (broken) throw new Error(goText(broken), { cause: broken })
  yaml().visit(document, { Scalar: (_key, scalar) => keepExactly(scalar) })
  return {
    value: document.toJS(),
    duplicates: document.errors.map(({ pos: [start], linePos }) => {
      const key = /^["']?([^"':\s]+)/.exec(text.slice(start))?.[1] ?? ''
      return `line ${linePos?.[0].line ?? 1}: key ${quoted(key)} already set in map`
    }),
  }
}

/** Go's libraries make JSON of YAML before they read it: a number is what its text in JSON is, with a point or without. */
function keepExactly(scalar: Scalar): void {
  const { value } = scalar
  if (typeof value === 'bigint' || typeof value === 'number') scalar.value = numberOf(String(value))
}

function goText({ code, message, linePos }: YAMLParseError): string {
  const line = linePos?.[0].line ?? 1
  const at = line > 1 ? `line ${line}: ` : ''
  if (code === 'TAB_AS_INDENT') return `${at}found character that cannot start any token`
  if (/Nested mappings|implicit key/i.test(message)) return 'mapping values are not allowed in this context'
  return message
}

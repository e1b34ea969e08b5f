import { createRequire } from 'node:module'
import type { Scalar, YAMLParseError } from 'yaml'
import { quoted } from '../../../../kubernetes/index.ts'
import type { JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { scalarOf, taggedScalar } from './yaml-scalar.ts'

const load = createRequire(import.meta.url)

/** Loads the YAML library with the first request that needs YAML: no start of a server does. */
const yaml = (): typeof import('yaml') => load('yaml')

/** A YAML text, read as Go's libraries read it. */
export interface YamlText {
  /** Value of the text. The last one counts of members that are there twice. */
  readonly value: JsonValue
  /** A line for every such member, as `line 7: key "a" already set in map`. */
  readonly duplicates: readonly string[]
}

/** Texts only: what unquoted ones stand for is said by Go's rules. */
const OPTIONS = { schema: 'failsafe', merge: true, resolveKnownTags: false, logLevel: 'error' } as const

/** Throws Error with Go's text, as far as it is known, for what is no YAML, or no JSON. */
export function readYaml(text: string): YamlText {
  const document = yaml().parseDocument(text, OPTIONS)
  const [broken] = document.errors.filter(({ code }) => code !== 'DUPLICATE_KEY')
  if (broken) throw new Error(`yaml: ${goText(broken)}`, { cause: broken })
  yaml().visit(document, { Scalar: resolve })
  return {
    value: document.toJS(),
    duplicates: document.errors.map(({ pos: [start], linePos }) => {
      const key = /^["']?([^"':\s]+)/.exec(text.slice(start))?.[1] ?? ''
      return `line ${linePos?.[0].line ?? 1}: key ${quoted(key)} already set in map`
    }),
  }
}

const CORE = 'tag:yaml.org,2002:'
/** Tags with which a quoted text, too, is what it would be without quotes. */
const RESOLVED = ['bool', 'float', 'int', 'null'].map((type) => CORE + type)

function resolve(position: number | 'key' | 'value' | null, scalar: Scalar): void {
  const { tag, type, value } = scalar
  if (typeof value !== 'string') return
  const text = scalar.source ?? value
  if (tag === `${CORE}binary`) scalar.value = Buffer.from(text, 'base64').toString()
  else if (tag !== undefined && RESOLVED.includes(tag))
    scalar.value = taggedScalar(text, tag.slice(CORE.length))
  else if (tag === undefined && type === 'PLAIN') scalar.value = scalarOf(text)
  if (position === 'key' && scalar.value === null) {
    throw new Error('unsupported map key of type: %!s(<nil>), key: <nil>')
  }
}

function goText({ code, message, linePos }: YAMLParseError): string {
  const line = linePos?.[0].line ?? 1
  const at = line > 1 ? `line ${line}: ` : ''
  if (code === 'TAB_AS_INDENT') return `${at}found character that cannot start any token`
  if (/Nested mappings|implicit key/i.test(message)) return 'mapping values are not allowed in this context'
  return message
}

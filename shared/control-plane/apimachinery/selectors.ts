import {
  type LabelRequirement,
  parseLabelSelector as parse,
  quoted,
  SelectorError,
  selectorFromExpressions,
} from '../../kubernetes/index.ts'
import { badRequest } from './errors/factories.ts'
import type { JsonObject } from './json/exact-numbers.ts'
import { stringMap } from './objects.ts'

export interface FieldRequirement {
  readonly field: string
  readonly equal: boolean
  readonly value: string
}

/** Reads a field selector: `metadata.name=a,status.phase!=Failed`, `\` escapes. Throws a 400 for others. */
export function parseFieldSelector(selector: string): FieldRequirement[] {
  return splitTerms(selector)
    .filter((term) => term !== '')
    .map((term) => {
      const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term)
      if (!match) throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`)
      return { field: match[1] ?? '', equal: match[2] !== '!=', value: unescapeValue(match[3] ?? '') }
    })
}

function splitTerms(selector: string): string[] {
  return selector.split(/(?<!(?<!\\)(?:\\\\)*\\),/)
}

function unescapeValue(value: string): string {
  const bad = /\\(?![\\,=]).?/s.exec(value.replaceAll(/\\[\\,=]/g, ''))
  if (bad) throw badRequest(`invalid field selector: invalid escape sequence: ${bad[0]}`)
  const bare = /[,=]/.exec(value.replaceAll(/\\[\\,=]/g, ''))
  if (bare)
    throw badRequest(`invalid field selector: unescaped character in value: ${bare[0].codePointAt(0)}`)
  return value.replaceAll(/\\([\\,=])/g, '$1')
}

/** Throws a 400 when a requirement is about a field that cannot be selected by. */
export function checkFields(
  requirements: readonly FieldRequirement[],
  known: readonly string[],
  kind?: string,
): void {
  for (const { field } of requirements) {
    if (known.includes(field)) continue
    throw badRequest(
      kind === undefined
        ? `${quoted(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
        : `field label not supported: ${field}`,
    )
  }
}

/** Reports whether the fields meet every requirement; a field that the object lacks has the value `''`. */
export function matchesFields(
  requirements: readonly FieldRequirement[],
  fields: (name: string) => string,
): boolean {
  return requirements.every(({ field, equal, value }) => (fields(field) === value) === equal)
}
/** Reads a request's label selector. Throws a 400 with the real server's texts where it cannot be read. */
export function parseLabelSelector(selector: string): LabelRequirement[] {
  try {
    return parse(selector)
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message) : error
  }
}

type Expressions = Parameters<typeof selectorFromExpressions>[1]

/** Returns the requirements of a valid meta/v1 LabelSelector. An empty one matches everything. */
export const requirementsOf = ({ matchLabels, matchExpressions }: JsonObject): LabelRequirement[] =>
  selectorFromExpressions(stringMap(matchLabels), matchExpressions as unknown as Expressions)

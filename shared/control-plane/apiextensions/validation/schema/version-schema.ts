import { type FieldError, forbiddenField, invalidValue } from '../../../apimachinery/errors/field.ts'
import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { readRootSchema, type SchemaTools } from '../../schema-tools.ts'
import { PatternError } from '../../structural/pattern.ts'
import { readSchema } from '../../structural/schema.ts'
import { defaultErrors } from './defaults.ts'
import { keywordErrors } from './keywords.ts'
import { ruleErrors } from './rules.ts'
import { structuralErrors } from './structural.ts'
import { everySchema } from './walk.ts'

/** Schemas within schemas, at most: far beyond what an API has, and well within what a stack holds. */
const DEEPEST = 100
const AT_ROOT_WITH_STATUS = new Set([
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
])

interface SchemaContext {
  readonly hasStatus: boolean
  /** True for what the definition has already. */
  readonly isStored: boolean
  readonly tools: SchemaTools
}

/** Validates the schema of a version, at its path. */
export function versionSchemaErrors(
  schema: JsonObject,
  at: string,
  { hasStatus, isStored, tools }: SchemaContext,
): FieldError[] {
  if (depthOf(schema) > DEEPEST)
    return [forbiddenField(at, `schemas must not be nested more than ${DEEPEST} deep`)]
  const root = hasStatus ? statusErrors(schema, at) : []
  const found = keywordErrors(schema, at)
  const patterns = patternErrors(schema, at)
  const structure = [...patterns, ...structuralErrors(schema, at)]
  // A schema with a pattern that is none cannot be read at all.
  if (patterns.length > 0) return [...root, ...structure, ...found]
  const wrong = structure.length > 0 ? structure : defaultErrors(schema, at, tools)
  const isReadable = wrong.length === 0
  const rules = ruleErrors(readRootSchema(schema), at, { tools, isStored, found, isReadable })
  return [...root, ...wrong, ...found, ...rules]
}

/** Walks without recursion: it finds schemas too deep for that. */
function depthOf(schema: JsonObject): number {
  let deepest = 0
  const left: [JsonValue | undefined, number][] = [[schema, 0]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [value, depth] = next
    if (typeof value !== 'object' || value === null) continue
    deepest = Math.max(deepest, depth)
    // Between two schemas there are one or two levels: `properties` and the name of one.
    for (const child of Object.values(value)) left.push([child, depth + 0.5])
  }
  return deepest
}

/** Validates a schema beside a status of its own; apart, so that little is allowed beside `properties`. */
function statusErrors(schema: JsonObject, at: string): FieldError[] {
  if (typeof schema.type === 'string' && schema.type !== 'object') {
    const why =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    return [invalidValue(`${at}.type`, schema.type, why)]
  }
  const wrong = Object.keys(schema).find((member) => !AT_ROOT_WITH_STATUS.has(member))
  if (wrong === undefined) return []
  const names = [...AT_ROOT_WITH_STATUS].map(goName).join(' ')
  const why = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`
  return [invalidValue(at, schema, why)]
}

function goName(member: string): string {
  return member
    .replace('-kubernetes', '')
    .split('-')
    .map((part) => `${part[0]?.toUpperCase() ?? ''}${part.slice(1)}`)
    .join('')
}

function patternErrors(schema: JsonObject, at: string): FieldError[] {
  return everySchema(schema, at).flatMap(({ schema: { pattern }, at: where }) => {
    if (typeof pattern !== 'string') return []
    try {
      readSchema({ pattern })
      return []
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      const why = `must be a valid regular expression, but isn't: ${error.message}`
      return [invalidValue(`${where}.pattern`, pattern, why)]
    }
  })
}

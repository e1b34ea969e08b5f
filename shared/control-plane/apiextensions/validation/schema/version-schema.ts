import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import { readRootSchema, type SchemaTools } from '../../schema-tools.ts'
import { PatternError } from '../../structural/pattern.ts'
import { readSchema } from '../../structural/schema.ts'
import { defaultErrors } from './defaults.ts'
import { validateKeywords } from './keywords.ts'
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

/** Validates the schema of a version. */
export function validateVersionSchema(schema: Field, { hasStatus, isStored, tools }: SchemaContext): void {
  if (depthOf(schema.object) > DEEPEST) {
    schema.forbidden(`schemas must not be nested more than ${DEEPEST} deep`)
    return
  }
  if (hasStatus) validateRootWithStatus(schema)
  const found = schema.collect(validateKeywords)
  const patterns = schema.collect(validatePatterns)
  const structure = [...patterns, ...structuralErrors(schema)]
  // A schema with a pattern that is none cannot be read at all.
  if (patterns.length > 0) {
    schema.errors.push(...structure, ...found)
    return
  }
  const wrong = structure.length > 0 ? structure : defaultErrors(schema.object, schema.path, tools)
  const isReadable = wrong.length === 0
  const root = readRootSchema(schema.object)
  const rules = ruleErrors(root, schema, { tools, isStored, found, isReadable })
  schema.errors.push(...wrong, ...found, ...rules)
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
function validateRootWithStatus(schema: Field): void {
  const type = schema.child('type')
  if (type.ifSet && type.text !== 'object') {
    type.invalid(
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
    )
    return
  }
  const names = [...AT_ROOT_WITH_STATUS].map(goName).join(' ')
  if (Object.keys(schema.object).some((member) => !AT_ROOT_WITH_STATUS.has(member)))
    schema.invalid(
      `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`,
    )
}

function goName(member: string): string {
  return member
    .replace('-kubernetes', '')
    .split('-')
    .map((part) => `${part[0]?.toUpperCase() ?? ''}${part.slice(1)}`)
    .join('')
}

function validatePatterns(root: Field): void {
  for (const pattern of everySchema(root).map((schema) => schema.child('pattern').ifSet)) {
    try {
      if (pattern) readSchema({ pattern: pattern.text })
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      pattern?.invalid(`must be a valid regular expression, but isn't: ${error.message}`)
    }
  }
}

import { readSchema } from '../../apiextensions/structural/schema.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, objectsAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { apiVersionOf } from '../../apiserver/registry/definition/names.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import { compareVersions } from '../../apiserver/registry/versions.ts'
import {
  CelError,
  ExpressionCompiler,
  type KnownTypes,
  type ObjectTypes,
  SchemaTypes,
  StructTypes,
} from '../../cel/index.ts'

/** Most kinds that a policy is checked against. */
const MOST_KINDS = 10
const METADATA = 'meta.ObjectMeta'

/** A kind that a policy is about, with its types. */
interface CheckedKind {
  readonly shown: string
  readonly known: KnownTypes
}

/**
 * Finds what in the expressions of a validating policy does not fit the kinds that it matches, as
 * `status.typeChecking.expressionWarnings`. Kinds that a wildcard matches are not checked.
 */
export function typeWarnings(policy: KubeObject, registry: Registry): JsonObject[] {
  const spec = objectAt(policy, 'spec')
  const kinds = kindsOf(spec, registry)
  return objectsAt(spec, 'validations').flatMap((validation, index) =>
    ['expression', 'messageExpression'].flatMap((member) => {
      const text = stringAt(validation, member)
      const warning = text === '' ? '' : warningOf(text, spec, kinds)
      return warning === '' ? [] : [{ fieldRef: `spec.validations[${index}].${member}`, warning }]
    }),
  )
}

function warningOf(text: string, spec: JsonObject, kinds: readonly CheckedKind[]): string {
  return kinds
    .flatMap(({ shown, known }) => {
      const problem = problemOf(text, spec, known)
      return problem === undefined ? [] : [`${shown}: ${problem}\n`]
    })
    .join('\n')
}

function problemOf(text: string, spec: JsonObject, known: KnownTypes): string | undefined {
  const compiler = new ExpressionCompiler(true, known)
  const scope = { authorizer: true, params: spec.paramKind !== undefined }
  for (const variable of objectsAt(spec, 'variables'))
    quietly(() => compiler.declare(stringAt(variable, 'name'), stringAt(variable, 'expression'), scope))
  return quietly(() => compiler.compile(text, scope, 'any'))
}

/** Returns the message of the error, if there is one. */
function quietly(compile: () => unknown): string | undefined {
  try {
    compile()
    return undefined
  } catch (error) {
    if (error instanceof CelError) return error.message
    throw error
  }
}

function kindsOf(spec: JsonObject, registry: Registry): CheckedKind[] {
  const params = paramTypes(spec, registry)
  const definitions = new Set(
    objectsAt(objectAt(spec, 'matchConstraints'), 'resourceRules').flatMap((rule) => namedBy(rule, registry)),
  )
  return [...definitions]
    .sort(byKind)
    .slice(0, MOST_KINDS)
    .flatMap((definition) => {
      const types = typesOf(definition)
      if (!types) return []
      const known = {
        object: types.root,
        ...(params ? { params: params.root } : {}),
        objects: params ? [types, params] : [types],
      }
      const prefix = definition.group === '' ? '/' : ''
      return [{ shown: `${prefix}${apiVersionOf(definition)}, Kind=${definition.kind}`, known }]
    })
}

/** Returns the kinds that a rule names one by one. */
function namedBy(rule: JsonObject, registry: Registry): ResourceDefinition[] {
  const [groups, versions] = [stringsAt(rule, 'apiGroups'), stringsAt(rule, 'apiVersions')]
  if (groups.includes('*') || versions.includes('*')) return []
  const resources = stringsAt(rule, 'resources').filter((name) => name !== '*' && !name.includes('/'))
  return groups.flatMap((group) =>
    versions.flatMap((version) =>
      resources.flatMap((resource) => registry.endpoint(group, version, resource)?.definition ?? []),
    ),
  )
}

function byKind(a: ResourceDefinition, b: ResourceDefinition): number {
  if (a.group !== b.group) return a.group < b.group ? -1 : 1
  if (a.version !== b.version) return compareVersions(a.version, b.version)
  return a.kind < b.kind ? -1 : 1
}

function paramTypes({ paramKind }: JsonObject, registry: Registry): KindTypes | undefined {
  if (!isObject(paramKind)) return undefined
  const found = registry.endpointOfKind(stringAt(paramKind, 'apiVersion'), stringAt(paramKind, 'kind'))
  return found && typesOf(found.definition)
}

type KindTypes = ObjectTypes & Pick<StructTypes, 'root'>

/** Returns the types of a kind's objects; undefined if nothing is known about them. */
function typesOf({ schema, openApi, kind }: ResourceDefinition): KindTypes | undefined {
  if (schema) return new StructTypes(schema, kind)
  return openApi ? new CustomTypes(openApi, kind) : undefined
}

/** Types of a custom resource: those of its schema, with the metadata that all objects have. */
class CustomTypes implements KindTypes {
  readonly root: SchemaTypes['root']
  readonly #own: SchemaTypes
  readonly #metadata: StructTypes
  readonly #name: string

  constructor(openApi: JsonObject, name: string) {
    this.#own = new SchemaTypes(readSchema({ ...openApi, 'x-kubernetes-embedded-resource': true }), name)
    this.#metadata = new StructTypes(METADATA, `${name}.metadata`)
    this.#name = name
    this.root = this.#own.root
  }

  has(typeName: string): boolean {
    return this.#isMetadata(typeName) ? this.#metadata.has(typeName) : this.#own.has(typeName)
  }

  field(typeName: string, field: string): ReturnType<ObjectTypes['field']> {
    return this.#isMetadata(typeName)
      ? this.#metadata.field(typeName, field)
      : this.#own.field(typeName, field)
  }

  #isMetadata(typeName: string): boolean {
    return typeName === `${this.#name}.metadata` || typeName.startsWith(`${this.#name}.metadata.`)
  }
}

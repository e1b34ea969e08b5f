import { quoted } from '../../../kubernetes/index.ts'
import { forbidden } from '../../apimachinery/errors/factories.ts'
import type { FieldError } from '../../apimachinery/errors/field.ts'
import type { ApiError } from '../../apimachinery/errors/status.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import { finalizersOf, type KubeObject } from '../../apimachinery/objects.ts'
import { apiVersionOf } from '../../apiserver/registry/definition/names.ts'
import type {
  ResourceDefinition,
  Subresource,
  Verb,
} from '../../apiserver/registry/definition/resource-definition.ts'
import type { Strategy } from '../../apiserver/registry/definition/strategy.ts'
import { compareVersions } from '../../apiserver/registry/versions.ts'
import { countGeneration } from '../../apiserver/registry/writes/generation.ts'
import type { WebhookConverter } from '../conversion/webhook-converter.ts'
import { isTrue, namesAt, RESOURCE, specOf, statusOf, storageVersionOf, versionsOf } from '../crd.ts'
import { ObjectValidator, readRootSchema, type SchemaTools } from '../schema-tools.ts'
import type { Schema } from '../structural/schema.ts'
import { type CodecOptions, codecOf } from './codec.ts'
import { columnsOf } from './columns.ts'
import { embeddedErrors } from './embedded.ts'
import { parseJsonPath } from './json-path.ts'
import { scaleOf, scalePathsOf, scaleSpecErrors, scaleStatusErrors } from './scale.ts'

const STANDARD = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

/** Returns warnings about new finalizers that others might use as well. */
function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const known = new Set(old ? finalizersOf(old) : [])
  return finalizersOf(object)
    .filter((name) => !known.has(name) && !name.includes('/') && !STANDARD.has(name))
    .map((name) => {
      const better = name.includes('.') ? ' including a path (/)' : ''
      return `metadata.finalizers: ${quoted(name)}: prefer a domain-qualified finalizer name${better} to avoid accidental conflicts with other finalizer writers`
    })
}

/** Verbs in upstream's order, which discovery shows. */
const VERBS: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
]
const ANYTHING: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/**
 * Returns what a CustomResourceDefinition makes the server serve: a definition for every version that is
 * served.
 * @param converter asks the webhook of a definition that has one
 */
export function definitionsOf(
  crd: KubeObject,
  tools: SchemaTools,
  converter?: WebhookConverter,
): ResourceDefinition[] {
  const storage = storageVersionOf(crd)
  const group = stringAt(specOf(crd), 'group')
  const openApis = new Map(
    versionsOf(crd).map((version) => [
      apiVersionOf({ group, version: stringAt(version, 'name') }),
      openApiOf(version),
    ]),
  )
  const schemas = new Map([...openApis].map(([apiVersion, source]) => [apiVersion, readRootSchema(source)]))
  const stored = apiVersionOf({ group, version: storage })
  const definitions = versionsOf(crd)
    .filter(({ served }) => served === true)
    .map((version) =>
      definitionOf(crd, version, { tools, stored, schemas, openApis, ...(converter ? { converter } : {}) }),
    )
    .sort((a, b) => compareVersions(a.version, b.version))
  // One of them stands for the resource where every object is needed once.
  const first = definitions.find(({ version }) => version === storage) ?? definitions[0]
  return definitions.map((definition) =>
    definition === first ? definition : { ...definition, storedElsewhere: true },
  )
}

interface Making extends Pick<CodecOptions, 'stored' | 'schemas' | 'openApis' | 'converter'> {
  readonly tools: SchemaTools
}

function openApiOf(version: JsonObject): JsonObject {
  const { openAPIV3Schema } = objectAt(version, 'schema')
  return isObject(openAPIV3Schema) ? openAPIV3Schema : ANYTHING
}

function definitionOf(
  crd: KubeObject,
  version: JsonObject,
  { tools, ...storing }: Making,
): ResourceDefinition {
  const spec = specOf(crd)
  const group = stringAt(spec, 'group')
  const names = namesAt(statusOf(crd), 'acceptedNames')
  const { kind, plural, singular, listKind, shortNames, categories } = names
  const openApi = openApiOf(version)
  const namespaced = spec.scope === 'Namespaced'
  const subresources = objectAt(version, 'subresources')
  const hasStatus = isObject(subresources.status)
  const scale = scalePathsOf(version)
  const name = stringAt(version, 'name')
  const apiVersion = apiVersionOf({ group, version: name })
  const schema = storing.schemas.get(apiVersion) ?? readRootSchema(openApi)
  const selectable = objectsAt(version, 'selectableFields').map((field) => stringAt(field, 'jsonPath'))
  const deprecation = deprecationOf(crd, version)
  const strategy = strategyOf({ schema, tools, hasStatus, crd, version })
  return {
    group,
    version: name,
    kind,
    plural,
    singular,
    listKind,
    namespaced,
    verbs: VERBS,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(deprecation === undefined ? {} : { deprecation }),
    codec: codecOf({ apiVersion, kind, schema, ...storing }),
    openApi,
    finalizers: 'any',
    unconditionalUpdate: false,
    hasStatus,
    selectableFields: Object.fromEntries(selectable.map((path) => [path.slice(1), fieldReader(path)])),
    table: columnsOf(version),
    subresources: {
      ...(hasStatus ? { status: STATUS } : {}),
      ...(scale
        ? {
            scale: {
              ...scaleOf({ plural, namespaced }, scale),
              prepare: countGeneration,
              // It is an update of the whole object.
              validate: (object: KubeObject, old: KubeObject) => strategy.validateUpdate?.(object, old) ?? [],
            },
          }
        : {}),
    },
    strategy,
  }
}

/** `/status`: takes the status and nothing else. */
const STATUS: Subresource = {
  kind: '',
  verbs: ['get', 'patch', 'update'],
  merge: (submitted, stored) => {
    const { status, ...rest } = stored
    const { managedFields } = submitted.metadata
    return {
      ...rest,
      metadata: { ...stored.metadata, ...(managedFields === undefined ? {} : { managedFields }) },
      ...(submitted.status === undefined ? {} : { status: submitted.status }),
    }
  },
}

interface Behaviour {
  readonly schema: Schema
  readonly tools: SchemaTools
  readonly hasStatus: boolean
  readonly crd: KubeObject
  readonly version: JsonObject
}

function strategyOf({ schema, tools, hasStatus, crd, version }: Behaviour): Strategy {
  const validator = new ObjectValidator(schema, tools)
  const scale = scalePathsOf(version)
  const errors = (object: KubeObject, old: KubeObject | undefined): FieldError[] =>
    validator.validate(object, old, [
      ...(scale ? [...scaleSpecErrors(object, scale), ...scaleStatusErrors(object, scale)] : []),
      ...embeddedErrors(object, schema),
    ])
  return {
    prepareForCreate: (object, { warnings, objects }) => {
      warnings.push(...finalizerWarnings(object, undefined))
      // The definition may have been deleted since this was made.
      const current = objects.get(RESOURCE, '', crd.metadata.name ?? '')
      if (current && isTrue(current, 'Terminating')) throw terminating(crd, object)
      if (hasStatus) delete object.status
      countGeneration(object, undefined)
    },
    prepareForUpdate: (object, old, { warnings }) => {
      warnings.push(...finalizerWarnings(object, old))
      countGeneration(object, old)
    },
    validateCreate: (object) => errors(object, undefined),
    validateUpdate: errors,
    validateStatusUpdate: (object, old) =>
      validator.validateStatus(object, old, scale ? scaleStatusErrors(object, scale) : []),
  }
}

function terminating(crd: KubeObject, object: KubeObject): ApiError {
  const { plural } = namesAt(specOf(crd), 'names')
  const group = stringAt(specOf(crd), 'group')
  const why = 'create not allowed while custom resource definition is terminating'
  return forbidden({ group, plural }, object.metadata.name ?? '', why)
}

function fieldReader(path: string): (object: KubeObject) => string {
  const parsed = parseJsonPath(path)
  return (object) => {
    const value = parsed?.first(object)
    return value === undefined || value === null ? '' : String(value)
  }
}

/** Returns the warning in answers of a deprecated version. */
function deprecationOf(crd: KubeObject, version: JsonObject): string | undefined {
  if (version.deprecated !== true) return undefined
  if (typeof version.deprecationWarning === 'string') return version.deprecationWarning
  const group = stringAt(specOf(crd), 'group')
  const { kind } = namesAt(specOf(crd), 'names')
  const name = stringAt(version, 'name')
  const [better] = versionsOf(crd)
    .filter(({ served, deprecated }) => served === true && deprecated !== true)
    .map((other) => stringAt(other, 'name'))
    .filter((other) => compareVersions(other, name) < 0)
    .sort(compareVersions)
  const text = `${apiVersionOf({ group, version: name })} ${kind} is deprecated`
  return better === undefined ? text : `${text}; use ${apiVersionOf({ group, version: better })} ${kind}`
}

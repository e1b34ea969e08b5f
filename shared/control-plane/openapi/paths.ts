import type { JsonObject } from '../json.ts'
import { ALL_VERBS, type ResourceDefinition, type Verb } from '../registry/index.ts'
import { listNameOf, refTo, schemaNameOf } from './components.ts'

interface Operation {
  readonly verb: Verb
  readonly method: string
  readonly action: string
  readonly onCollection: boolean
}

const OPERATIONS: readonly Operation[] = [
  { verb: 'list', method: 'get', action: 'list', onCollection: true },
  { verb: 'create', method: 'post', action: 'post', onCollection: true },
  { verb: 'deletecollection', method: 'delete', action: 'deletecollection', onCollection: true },
  { verb: 'get', method: 'get', action: 'get', onCollection: false },
  { verb: 'update', method: 'put', action: 'put', onCollection: false },
  { verb: 'patch', method: 'patch', action: 'patch', onCollection: false },
  { verb: 'delete', method: 'delete', action: 'delete', onCollection: false },
]
const PATCH_TYPES = ['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json']

/** Strategic merge needs the merge rules of a Go struct. */
const patchTypes = ({ schema }: ResourceDefinition): readonly string[] =>
  schema ? PATCH_TYPES : PATCH_TYPES.slice(0, 2)

/** What clients look for to learn what a server can do: kubectl finds server-side validation by `fieldValidation`. */
const QUERY: Partial<Record<Verb, readonly string[]>> = {
  list: [
    'allowWatchBookmarks:boolean',
    'continue',
    'fieldSelector',
    'labelSelector',
    'limit:integer',
    'resourceVersion',
    'resourceVersionMatch',
    'sendInitialEvents:boolean',
    'timeoutSeconds:integer',
    'watch:boolean',
  ],
  create: ['dryRun', 'fieldManager', 'fieldValidation'],
  update: ['dryRun', 'fieldManager', 'fieldValidation'],
  patch: ['dryRun', 'fieldManager', 'fieldValidation', 'force:boolean'],
  delete: ['dryRun', 'gracePeriodSeconds:integer', 'orphanDependents:boolean', 'propagationPolicy'],
}

/** The paths of the resources, with what clients read of them: operations, kinds, parameters, bodies. */
export function pathsOf(definitions: readonly ResourceDefinition[]): JsonObject {
  const paths: JsonObject = {}
  for (const definition of definitions) {
    const { group, version, plural, namespaced } = definition
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const collection = `${root}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`
    paths[collection] = operationsOf(definition, true)
    paths[`${collection}/{name}`] = operationsOf(definition, false)
  }
  return paths
}

function operationsOf(definition: ResourceDefinition, onCollection: boolean): JsonObject {
  const verbs = definition.verbs ?? ALL_VERBS
  const operations = OPERATIONS.filter(
    (operation) => operation.onCollection === onCollection && verbs.includes(operation.verb),
  )
  const path = [...(definition.namespaced ? ['namespace'] : []), ...(onCollection ? [] : ['name'])]
  return {
    ...Object.fromEntries(
      operations.map((operation) => [operation.method, operationOf(definition, operation)]),
    ),
    ...(path.length > 0 ? { parameters: path.map(pathParameter) } : {}),
  }
}

function operationOf(definition: ResourceDefinition, { verb, action }: Operation): JsonObject {
  const { group, version, kind } = definition
  const scope = definition.namespaced ? 'Namespaced' : ''
  const body = bodyOf(definition, verb)
  const answer = verb === 'list' ? listNameOf(definition) : schemaNameOf(definition)
  return {
    operationId: `${verb}${title(group || 'core')}${title(version)}${scope}${kind}`,
    parameters: (QUERY[verb] ?? []).map(queryParameter),
    ...(body ? { requestBody: body } : {}),
    responses: { 200: { description: 'OK', content: { 'application/json': { schema: refTo(answer) } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, kind, version },
  }
}

function bodyOf(definition: ResourceDefinition, verb: Verb): JsonObject | undefined {
  if (verb === 'patch') {
    const schema = refTo('io.k8s.apimachinery.pkg.apis.meta.v1.Patch')
    return {
      content: Object.fromEntries(patchTypes(definition).map((type) => [`application/${type}`, { schema }])),
      required: true,
    }
  }
  if (verb !== 'create' && verb !== 'update') return undefined
  return { content: { '*/*': { schema: refTo(schemaNameOf(definition)) } }, required: true }
}

function queryParameter(text: string): JsonObject {
  const [name = '', type = 'string'] = text.split(':')
  return { name, in: 'query', schema: { type, uniqueItems: true } }
}

function pathParameter(name: string): JsonObject {
  return { name, in: 'path', required: true, schema: { type: 'string', uniqueItems: true } }
}

function title(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1).split('.')[0]}`
}

import { isObject, numberAt, objectAt, objectsAt, stringAt } from '../../apimachinery/json/index.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { ResourceDefinition } from '../../apiserver/registry/index.ts'
import { ageOf, tableOf } from '../../apiserver/table/index.ts'
import { tellDangling } from './dangling.ts'
import { flowSchemaErrors } from './flow-schema-validation.ts'
import { keepBootstrapObjects } from './keeper.ts'
import { byPrecedence } from './precedence.ts'
import { generations } from './status.ts'

const DEFAULT_PRECEDENCE = 1000

/** Resource that says which requests belong together, and to which priority level (KEP-1040). */
export const flowSchemas: ResourceDefinition = {
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'FlowSchema',
  plural: 'flowschemas',
  singular: 'flowschema',
  namespaced: false,
  schema: 'flowcontrol.FlowSchema',
  hasStatus: true,
  statusKeepsMetadata: true,
  table: {
    ...tableOf('flowschemas', cells),
    compare: byPrecedence,
  },
  strategy: {
    ...generations,
    setDefaults: (schema) => {
      const spec = objectAt(schema, 'spec')
      if ((numberAt(spec, 'matchingPrecedence') ?? 0) === 0) {
        schema.spec = { ...spec, matchingPrecedence: DEFAULT_PRECEDENCE }
      }
    },
    validate: flowSchemaErrors,
  },
  lifecycle: {
    start: (registry, onError) => {
      const ends = [keepBootstrapObjects('flowschemas'), tellDangling].map((start) =>
        start?.(registry, onError),
      )
      return () => {
        for (const end of ends) end?.()
      }
    },
  },
}

function cells(schema: KubeObject, now: number) {
  const spec = objectAt(schema, 'spec')
  const method = spec.distinguisherMethod
  const conditions = objectsAt(objectAt(schema, 'status'), 'conditions')
  const dangling = conditions.find(({ type }) => type === 'Dangling')
  return [
    schema.metadata.name ?? '',
    stringAt(objectAt(spec, 'priorityLevelConfiguration'), 'name'),
    numberAt(spec, 'matchingPrecedence') ?? 0,
    isObject(method) ? stringAt(method, 'type') : '<none>',
    ageOf(schema, now),
    dangling ? stringAt(dangling, 'status') : '?',
  ]
}

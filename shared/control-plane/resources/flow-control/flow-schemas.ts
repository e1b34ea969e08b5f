import { quoted } from '../../../kubernetes/index.ts'
import { conditionOf, withCondition } from '../../apimachinery/conditions.ts'
import { isObject, numberAt, objectAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { errorsBy } from '../../apimachinery/validation/field.ts'
import type {
  Endpoint,
  Lifecycle,
  ResourceDefinition,
} from '../../apiserver/registry/definition/resource-definition.ts'
import { systemContext } from '../../apiserver/registry/system-context.ts'
import { updateObject } from '../../apiserver/registry/writes/update.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { Workers } from '../../controllers/workers.ts'
import { builtInKind } from '../built-in-kind.ts'
import { validateFlowSchema } from './flow-schema-validation.ts'
import { keepBootstrapObjects } from './keeper.ts'
import { byPrecedence } from './precedence.ts'
import { generations } from './status.ts'

const GROUP = 'flowcontrol.apiserver.k8s.io'
const MANAGER = 'api-priority-and-fairness-config-consumer-v1'
const STATUS = { name: 'status', definition: { kind: 'FlowSchema', verbs: ['update'] } } as const

/** Keeps the condition `Dangling` of every flow schema: whether its priority level is missing. */
const tellDangling: Lifecycle['start'] = (registry, onError) => {
  const schemas = registry.endpoint(GROUP, 'v1', 'flowschemas')
  const levels = registry.endpoint(GROUP, 'v1', 'prioritylevelconfigurations')
  if (schemas === undefined || levels === undefined) return undefined
  const queue = new Workers<Endpoint>({ work: (endpoint) => tellAll(endpoint, levels), onError })
  tellAll(schemas, levels)
  const later = () => queue.add('all', schemas)
  const subscriptions = [schemas, levels].map(({ store, resource }) => store.subscribe(resource, later))
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe()
    queue.stop()
  }
}

function tellAll(schemas: Endpoint, levels: Endpoint): void {
  for (const schema of schemas.store.list(schemas.resource, '')) {
    const level = stringAt(objectAt(objectAt(schema, 'spec'), 'priorityLevelConfiguration'), 'name')
    setDangling(schemas, schema, level, levels.store.get(levels.resource, level) !== undefined)
  }
}

function setDangling(endpoint: Endpoint, stored: KubeObject, level: string, found: boolean): void {
  const named = `This FlowSchema references the PriorityLevelConfiguration object named ${quoted(level)}`
  const [status, reason, message] = found
    ? ['False', 'Found', `${named} and it exists`]
    : ['True', 'NotFound', `${named} but there is no such object`]
  const former = conditionOf(stored, 'Dangling')
  if (former?.status === status && former.reason === reason && former.message === message) return
  const now = Date.now()
  updateObject(
    { endpoint, stored, subresource: STATUS },
    withCondition(stored, { type: 'Dangling', status, reason, message }, now),
    { ...systemContext(endpoint.objects, now), fieldManager: MANAGER },
  )
}

const DEFAULT_PRECEDENCE = 1000

/** Resource that says which requests belong together, and to which priority level (KEP-1040). */
export const flowSchemas: ResourceDefinition = {
  ...builtInKind('flowcontrol.apiserver.k8s.io', 'FlowSchema'),
  namespaced: false,
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
    validate: errorsBy(validateFlowSchema),
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

function cells(schema: KubeObject) {
  const spec = objectAt(schema, 'spec')
  const method = spec.distinguisherMethod
  const dangling = conditionOf(schema, 'Dangling')
  return {
    PriorityLevel: stringAt(objectAt(spec, 'priorityLevelConfiguration'), 'name'),
    MatchingPrecedence: numberAt(spec, 'matchingPrecedence') ?? 0,
    DistinguisherMethod: isObject(method) ? stringAt(method, 'type') : '<none>',
    MissingPL: dangling ? stringAt(dangling, 'status') : '?',
  }
}

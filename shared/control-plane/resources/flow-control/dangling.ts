import { quoted } from '../../../kubernetes/index.ts'
import { objectAt, objectsAt, stringAt } from '../../apimachinery/json/index.ts'
import { type KubeObject, timestamp } from '../../apimachinery/objects.ts'
import { type Endpoint, type Lifecycle, systemContext, updateObject } from '../../apiserver/registry/index.ts'
import { Workers } from '../../controllers/workers.ts'

const GROUP = 'flowcontrol.apiserver.k8s.io'
const MANAGER = 'api-priority-and-fairness-config-consumer-v1'
const STATUS = { name: 'status', definition: { kind: 'FlowSchema', verbs: ['update'] } } as const

/** Keeps the condition `Dangling` of every flow schema: whether its priority level is missing. */
export const tellDangling: Lifecycle['start'] = (registry, onError) => {
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
    tell(schemas, schema, level, levels.store.get(levels.resource, level) !== undefined)
  }
}

function tell(endpoint: Endpoint, stored: KubeObject, level: string, found: boolean): void {
  const named = `This FlowSchema references the PriorityLevelConfiguration object named ${quoted(level)}`
  const [status, reason, message] = found
    ? ['False', 'Found', `${named} and it exists`]
    : ['True', 'NotFound', `${named} but there is no such object`]
  const conditions = objectsAt(objectAt(stored, 'status'), 'conditions')
  const former = conditions.find(({ type }) => type === 'Dangling')
  if (former?.status === status && former.reason === reason && former.message === message) return
  const now = Date.now()
  const condition = { type: 'Dangling', status, lastTransitionTime: timestamp(now), reason, message }
  const others = conditions.filter(({ type }) => type !== 'Dangling')
  updateObject(
    { endpoint, stored, subresource: STATUS },
    { ...stored, status: { ...objectAt(stored, 'status'), conditions: [...others, condition] } },
    { ...systemContext(endpoint.objects, now), fieldManager: MANAGER },
  )
}

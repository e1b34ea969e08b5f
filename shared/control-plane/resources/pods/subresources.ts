import { badRequest, conflict, createdStatus } from '../../errors/index.ts'
import { isObject, objectAt, objectsAt, stringAt } from '../../json.ts'
import { annotationsOf, type KubeObject, timestamp } from '../../objects.ts'
import type { Subresource } from '../../registry/index.ts'

/** `/binding`: puts a pod on a node, once. */
export const binding: Subresource = {
  kind: 'Binding',
  schema: 'core.Binding',
  verbs: ['create'],
  create: (submitted, pod, { now }) => {
    const node = stringAt(objectAt(submitted, 'target'), 'name')
    const name = pod.metadata.name ?? ''
    const spec = objectAt(pod, 'spec')
    const current = stringAt(spec, 'nodeName')
    if (current !== '') {
      const text = `pod ${name} is already assigned to node ${JSON.stringify(current)}`
      throw conflict({ group: '', plural: 'pods/binding' }, name, text)
    }
    if (node === '') throw badRequest('target.name: Required value')
    const metadata = { ...pod.metadata, annotations: { ...annotationsOf(pod), ...annotationsOf(submitted) } }
    const object: KubeObject = {
      ...pod,
      metadata,
      spec: { ...spec, nodeName: node },
      status: scheduled(pod, now),
    }
    return { action: 'update', object, status: createdStatus() }
  },
}

function scheduled(pod: KubeObject, now: number) {
  const status = objectAt(pod, 'status')
  const others = objectsAt(status, 'conditions').filter(({ type }) => type !== 'PodScheduled')
  const condition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(now),
  }
  return { ...status, conditions: [...others, condition] }
}

/** `/eviction`: deletes the pod; no disruption budgets are served that could refuse it. */
export const eviction: Subresource = {
  kind: 'Eviction',
  group: 'policy',
  version: 'v1',
  schema: 'policy.Eviction',
  verbs: ['create'],
  create: (submitted) => {
    if (!isObject(submitted.metadata)) throw badRequest('metadata: Required value')
    return { action: 'delete', status: createdStatus() }
  },
}

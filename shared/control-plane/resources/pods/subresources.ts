import { quoted } from '../../../kubernetes/index.ts'
import { badRequest, conflict } from '../../apimachinery/errors/factories.ts'
import { createdStatus } from '../../apimachinery/errors/status.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { integerAt, objectAt, objectsAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import { annotationsOf, type KubeObject, timestamp } from '../../apimachinery/objects.ts'
import type { DeleteOptions, Subresource } from '../../apiserver/registry/definition/resource-definition.ts'

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
      const text = `pod ${name} is already assigned to node ${quoted(current)}`
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

function scheduled(pod: KubeObject, now: number): JsonObject {
  return withCondition(pod, {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(now),
  })
}

/**
 * `/eviction`: deletes the pod by the options in the body, and says in its status why, for those that take a
 * while to end; no disruption budgets are served that could refuse it (upstream: EvictionREST).
 */
export const eviction: Subresource = {
  kind: 'Eviction',
  group: 'policy',
  version: 'v1',
  schema: 'policy.Eviction',
  verbs: ['create'],
  create: (submitted, pod, { now }) => {
    if (submitted.metadata.name !== pod.metadata.name) {
      throw badRequest('name in URL does not match name in Eviction object')
    }
    const asked = objectAt(submitted, 'deleteOptions')
    return {
      action: 'delete',
      status: createdStatus(),
      options: optionsOf(asked),
      object: { ...pod, status: disrupted(pod, now) },
      dryRun: stringsAt(asked, 'dryRun').includes('All'),
    }
  },
}

function optionsOf(asked: JsonObject): DeleteOptions {
  const grace = integerAt(asked, 'gracePeriodSeconds')
  const { uid, resourceVersion } = objectAt(asked, 'preconditions')
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    preconditions: {
      ...(typeof uid === 'string' ? { uid } : {}),
      ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    },
  }
}

function disrupted(pod: KubeObject, now: number): JsonObject {
  return withCondition(pod, {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(now),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  })
}

/** Returns the pod's status with the condition in place of the one of its type. */
function withCondition(pod: KubeObject, condition: JsonObject): JsonObject {
  const status = objectAt(pod, 'status')
  const others = objectsAt(status, 'conditions').filter(({ type }) => type !== condition.type)
  return { ...status, conditions: [...others, condition] }
}

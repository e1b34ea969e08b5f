import { quoted } from '../../../kubernetes/index.ts'
import { withCondition } from '../../apimachinery/conditions.ts'
import { badRequest, conflict } from '../../apimachinery/errors/factories.ts'
import { createdStatus } from '../../apimachinery/errors/status.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { integerAt, objectAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import { annotationsOf, type KubeObject } from '../../apimachinery/objects.ts'
import type { DeleteOptions, Subresource } from '../../apiserver/registry/definition/resource-definition.ts'

const SCHEDULED = { type: 'PodScheduled', status: 'True', lastProbeTime: null }
const DISRUPTED = {
  type: 'DisruptionTarget',
  status: 'True',
  lastProbeTime: null,
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
}

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
    const bound: KubeObject = { ...pod, metadata, spec: { ...spec, nodeName: node } }
    const object = withCondition(bound, SCHEDULED, now)
    return { action: 'update', object, status: createdStatus() }
  },
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
      object: withCondition(pod, DISRUPTED, now),
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

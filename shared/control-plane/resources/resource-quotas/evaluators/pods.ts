import { numberAt, objectAt, objectsAt, stringAt } from '../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { Quantity } from '../../../apimachinery/quantity/quantity.ts'
import { type ResourceList, resourceListAt, sum } from '../resource-list.ts'
import { isTerminating, podInScope } from '../scopes.ts'
import type { Evaluator } from './evaluator.ts'
import { hasPodLevelResources, podResources } from './pod-resources.ts'

const COMPUTE = ['cpu', 'memory', 'ephemeral-storage']
const NAMES: ReadonlySet<string> = new Set([
  'count/pods',
  'pods',
  ...COMPUTE.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
])
/** Resources that each container must specify if they are limited. */
const REQUIRED: ReadonlySet<string> = new Set(
  ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
)

/** Pods use what their containers ask for (upstream: pkg/quota/v1/evaluator/core/pods.go). */
export const podEvaluator: Evaluator = {
  matching: (wanted) => [...new Set(wanted)].filter(isOfPods).sort(),
  handles: ({ operation, subresource }) =>
    subresource === '' ? operation === 'CREATE' || operation === 'UPDATE' : false,
  concerns: (pod, old) => isTerminating(pod) !== isTerminating(old),
  constraint,
  usage: (pod, now) => {
    const counted: ResourceList = new Map([['count/pods', Quantity.of(1)]])
    if (!isCounted(pod, now)) return counted
    return sum(counted, namedUsage(podResources(pod, 'requests'), podResources(pod, 'limits')))
  },
  inScope: podInScope,
}

function isOfPods(name: string): boolean {
  return NAMES.has(name) || /^(requests\.)?hugepages-/.test(name) || isExtended(name)
}

/** Reports whether a resource is one such as `requests.example.org/device`, which only some nodes have. */
function isExtended(name: string): boolean {
  const [domain = '', ...path] = name.split('/')
  const isNative = path.length === 0 || domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io')
  return name.startsWith('requests.') && !isNative
}

function constraint(names: readonly string[], pod: KubeObject): string | undefined {
  if (hasPodLevelResources(pod)) return undefined
  const spec = objectAt(pod, 'spec')
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')]
  const missing = names
    .filter((name) => REQUIRED.has(name))
    .sort()
    .flatMap((name) => {
      const without = containers.filter((container) => {
        const resources = objectAt(container, 'resources')
        const usage = namedUsage(resourceListAt(resources, 'requests'), resourceListAt(resources, 'limits'))
        return !usage.has(name)
      })
      const called = [...new Set(without.map((container) => stringAt(container, 'name')))].sort()
      return called.length > 0 ? [`${name} for: ${called.join(',')}`] : []
    })
  return missing.length > 0 ? `must specify ${missing.join('; ')}` : undefined
}

/** Names amounts as quotas do. Requests also have their own names; huge pages and devices only requests. */
function namedUsage(requests: ResourceList, limits: ResourceList): ResourceList {
  const usage = new Map([['pods', Quantity.of(1)]])
  for (const [name, amount] of requests) {
    const isCompute = COMPUTE.includes(name)
    if (isCompute || name.startsWith('hugepages-')) usage.set(name, amount)
    if (isCompute || name.startsWith('hugepages-') || isExtended(`requests.${name}`))
      usage.set(`requests.${name}`, amount)
  }
  for (const [name, amount] of limits) if (COMPUTE.includes(name)) usage.set(`limits.${name}`, amount)
  return usage
}

/** Reports whether a pod counts. One that is over, or should be gone by now, uses nothing but its place. */
function isCounted(pod: KubeObject, now: number): boolean {
  const phase = stringAt(objectAt(pod, 'status'), 'phase')
  if (phase === 'Failed' || phase === 'Succeeded') return false
  const { deletionTimestamp } = pod.metadata
  const grace = numberAt(pod.metadata, 'deletionGracePeriodSeconds')
  if (deletionTimestamp === undefined || grace === undefined) return true
  return now <= Date.parse(deletionTimestamp) + grace * 1000
}

import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, objectsAt } from '../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { largest, type ResourceList, resourceListAt, sum } from '../resource-list.ts'

/** Resources that a pod may ask for as a whole (KEP-2837). */
const POD_LEVEL = /^(cpu|memory|hugepages-.*)$/

/** Reports whether a pod says what it needs as a whole. */
export function hasPodLevelResources(pod: KubeObject): boolean {
  const resources = objectAt(objectAt(pod, 'spec'), 'resources')
  return ['requests', 'limits'].some((part) =>
    [...resourceListAt(resources, part).keys()].some((name) => POD_LEVEL.test(name)),
  )
}

/**
 * Returns what a pod needs at most at any time, by its spec: its containers with its sidecars, or an init
 * container with the sidecars that have started before it (KEP-753).
 */
export function podResources(pod: KubeObject, part: 'requests' | 'limits'): ResourceList {
  const spec = objectAt(pod, 'spec')
  const ofContainers = objectsAt(spec, 'containers').reduce<ResourceList>(
    (total, container) => sum(total, amountsOf(container, part)),
    new Map(),
  )
  const { sidecars, peak } = initResources(spec, part)
  const aggregated = largest(sum(ofContainers, sidecars), peak)
  const whole = new Map(aggregated)
  for (const [name, amount] of amountsOf(spec, part)) if (POD_LEVEL.test(name)) whole.set(name, amount)
  return isObject(spec.overhead) ? withOverhead(whole, resourceListAt(spec, 'overhead'), part) : whole
}

function initResources(
  spec: JsonObject,
  part: 'requests' | 'limits',
): { sidecars: ResourceList; peak: ResourceList } {
  let sidecars: ResourceList = new Map()
  let peak: ResourceList = new Map()
  for (const container of objectsAt(spec, 'initContainers')) {
    const own = sum(amountsOf(container, part), sidecars)
    if (container.restartPolicy === 'Always') sidecars = own
    peak = largest(peak, own)
  }
  return { sidecars, peak }
}

const amountsOf = (parent: JsonObject, part: 'requests' | 'limits'): ResourceList =>
  resourceListAt(objectAt(parent, 'resources'), part)

/** Adds the overhead of running the pod. Resources without a limit get none by it. */
function withOverhead(
  whole: ResourceList,
  overhead: ResourceList,
  part: 'requests' | 'limits',
): ResourceList {
  const counted =
    part === 'requests'
      ? overhead
      : new Map([...overhead].filter(([name]) => whole.get(name)?.isZero === false))
  return sum(whole, counted)
}

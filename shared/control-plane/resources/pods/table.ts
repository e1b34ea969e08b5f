import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, numberAt, objectAt, objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { orNone } from '../../apiserver/table/format.ts'

export function podCells(pod: KubeObject) {
  const spec = objectAt(pod, 'spec')
  const status = objectAt(pod, 'status')
  const statuses = objectsAt(status, 'containerStatuses')
  const ready = statuses.filter(
    (item) => item.ready === true && isObject(objectAt(item, 'state').running),
  ).length
  const restarts = statuses.reduce((sum, item) => sum + (numberAt(item, 'restartCount') ?? 0), 0)
  const addresses = objectsAt(status, 'podIPs')
  return {
    Ready: `${ready}/${objectsAt(spec, 'containers').length}`,
    Status: reasonOf(pod, status, statuses),
    Restarts: String(restarts),
    IP: orNone(stringAt(addresses[0], 'ip')),
    Node: orNone(stringAt(spec, 'nodeName')),
    'Nominated Node': orNone(stringAt(status, 'nominatedNodeName')),
    'Readiness Gates': readinessGates(spec, status),
  }
}

/** Returns one word for the state of a pod: its phase, or rather what a container waits for or died of. */
function reasonOf(pod: KubeObject, status: JsonObject, statuses: readonly JsonObject[]): string {
  if (pod.metadata.deletionTimestamp)
    return stringAt(status, 'reason') === 'NodeLost' ? 'Unknown' : 'Terminating'
  const reasons = [...statuses].reverse().map(containerReason)
  const found = reasons.findLast((reason) => reason !== '')
  return found ?? (stringAt(status, 'reason') || stringAt(status, 'phase'))
}

function containerReason(item: JsonObject): string {
  const state = objectAt(item, 'state')
  const { waiting, terminated } = state
  if (isObject(waiting)) return stringAt(waiting, 'reason')
  if (!isObject(terminated)) return ''
  const signal = numberAt(terminated, 'signal') ?? 0
  const code = numberAt(terminated, 'exitCode') ?? 0
  return stringAt(terminated, 'reason') || (signal === 0 ? `ExitCode:${code}` : `Signal:${signal}`)
}

function readinessGates(spec: JsonObject, status: JsonObject): string {
  const gates = objectsAt(spec, 'readinessGates')
  if (gates.length === 0) return '<none>'
  const conditions = objectsAt(status, 'conditions')
  const met = gates.filter(({ conditionType }) =>
    conditions.some((condition) => condition.type === conditionType && condition.status === 'True'),
  )
  return `${met.length}/${gates.length}`
}

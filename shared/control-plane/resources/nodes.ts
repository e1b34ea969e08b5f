import { conditionOf } from '../apimachinery/conditions.ts'
import { objectAt, objectsAt, stringAt, stringsAt } from '../apimachinery/json/values.ts'
import { type KubeObject, labelsOf } from '../apimachinery/objects.ts'
import { errorsBy } from '../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../apiserver/table/columns.ts'
import { orNone } from '../apiserver/table/format.ts'
import { builtInKind } from './built-in-kind.ts'
import { validateNode, validateNodeUpdate } from './node-validation.ts'

const ROLE_PREFIX = 'node-role.kubernetes.io/'
const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

export const nodes: ResourceDefinition = {
  ...builtInKind('', 'Node'),
  namespaced: false,
  shortNames: ['no'],
  hasStatus: true,
  selectableFields: {
    'spec.unschedulable': (object) => String(objectAt(object, 'spec').unschedulable === true),
  },
  table: tableOf('nodes', nodeCells),
  strategy: {
    setDefaults: (object) => {
      alignPodCidrs(object)
      const status = objectAt(object, 'status')
      if (status.capacity !== undefined && status.allocatable === undefined) {
        object.status = { ...status, allocatable: status.capacity }
      }
    },
    prepareForCreate: addNotReadyTaint,
    validateCreate: errorsBy(validateNode),
    validateUpdate: errorsBy(validateNodeUpdate),
  },
}

/** Taints new nodes: no pods until something finds them ready (plugin TaintNodesByCondition). */
function addNotReadyTaint(object: KubeObject): void {
  const spec = objectAt(object, 'spec')
  const taints = objectsAt(spec, 'taints')
  if (taints.some((taint) => taint.key === NOT_READY.key && taint.effect === NOT_READY.effect)) return
  object.spec = { ...spec, taints: [...taints, NOT_READY] }
}

/** Makes `podCIDR` the first of `podCIDRs`. It counts if they differ, as older clients know it alone. */
function alignPodCidrs(object: KubeObject): void {
  const spec = objectAt(object, 'spec')
  const one = stringAt(spec, 'podCIDR')
  const many = stringsAt(spec, 'podCIDRs')
  if (one === (many[0] ?? '')) return
  object.spec = one === '' ? { ...spec, podCIDR: many[0] ?? '' } : { ...spec, podCIDRs: [one] }
}

function nodeCells(object: KubeObject) {
  const status = objectAt(object, 'status')
  const info = objectAt(status, 'nodeInfo')
  return {
    Status: readiness(object),
    Roles: roles(object),
    Version: stringAt(info, 'kubeletVersion'),
    'Internal-IP': address(object, 'InternalIP'),
    'External-IP': address(object, 'ExternalIP'),
    'OS-Image': stringAt(info, 'osImage') || '<unknown>',
    'Kernel-Version': stringAt(info, 'kernelVersion') || '<unknown>',
    'Container-Runtime': stringAt(info, 'containerRuntimeVersion') || '<unknown>',
  }
}

function readiness(object: KubeObject): string {
  const ready = conditionOf(object, 'Ready')
  const words = [ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown']
  if (objectAt(object, 'spec').unschedulable === true) words.push('SchedulingDisabled')
  return words.join(',')
}

function roles(object: KubeObject): string {
  const names = Object.keys(labelsOf(object)).filter((key) => key.startsWith(ROLE_PREFIX))
  return orNone(
    names
      .map((key) => key.slice(ROLE_PREFIX.length))
      .sort()
      .join(','),
  )
}

function address(object: KubeObject, type: string): string {
  const found = objectsAt(objectAt(object, 'status'), 'addresses').find((item) => item.type === type)
  return orNone(stringAt(found, 'address'))
}

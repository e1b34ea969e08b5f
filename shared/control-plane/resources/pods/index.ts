import { objectAt, objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { errorsBy } from '../../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { countChanges } from '../../apiserver/registry/writes/generation.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { builtInKind } from '../built-in-kind.ts'
import { admitPod, admitPodUpdate } from './admission.ts'
import { graceOf, qosClassOf, setPodDefaults, syncAddresses } from './defaults.ts'
import { binding, eviction } from './subresources.ts'
import { podCells } from './table.ts'
import { validatePod } from './validation/pod.ts'
import { validatePodStatus, validatePodUpdate } from './validation/pod-update.ts'

const ofSpec = (member: string) => (pod: KubeObject) => stringAt(objectAt(pod, 'spec'), member)
const ofStatus = (member: string) => (pod: KubeObject) => stringAt(objectAt(pod, 'status'), member)

export const pods: ResourceDefinition = {
  ...builtInKind('', 'Pod'),
  namespaced: true,
  shortNames: ['po'],
  categories: ['all'],
  returnsDeleted: true,
  hasStatus: true,
  selectableFields: {
    'spec.nodeName': ofSpec('nodeName'),
    'spec.restartPolicy': ofSpec('restartPolicy'),
    'spec.schedulerName': ofSpec('schedulerName'),
    'spec.serviceAccountName': ofSpec('serviceAccountName'),
    'spec.hostNetwork': (pod) => String(objectAt(pod, 'spec').hostNetwork === true),
    'status.phase': ofStatus('phase'),
    'status.podIP': ofStatus('podIP'),
    'status.podIPs': (pod) => stringAt(objectsAt(objectAt(pod, 'status'), 'podIPs')[0], 'ip'),
    'status.nominatedNodeName': ofStatus('nominatedNodeName'),
  },
  table: tableOf('pods', podCells),
  subresources: { binding, eviction },
  strategy: {
    setDefaults: setPodDefaults,
    admit: admitPod,
    prepareForCreate: (pod) => {
      countChanges(pod, undefined)
      pod.status = { phase: 'Pending', qosClass: qosClassOf(pod) }
    },
    prepareForUpdate: (pod, old) => {
      admitPodUpdate(pod)
      countChanges(pod, old, 'spec')
    },
    prepareForStatusUpdate: (pod, old) => {
      const status = objectAt(pod, 'status')
      pod.status = {
        ...status,
        qosClass: stringAt(objectAt(old, 'status'), 'qosClass') || stringAt(status, 'qosClass'),
      }
      syncAddresses(pod)
    },
    validate: errorsBy(validatePod),
    validateUpdate: errorsBy(validatePodUpdate),
    validateStatusUpdate: errorsBy(validatePodStatus),
    gracePeriod,
  },
}

/** Returns the grace period: a pod on a node gets its time to end; one that is over, or on none, goes. */
function gracePeriod(pod: KubeObject, wanted: number | bigint | undefined): number | bigint {
  const phase = stringAt(objectAt(pod, 'status'), 'phase')
  const scheduled = stringAt(objectAt(pod, 'spec'), 'nodeName') !== ''
  if (!scheduled || phase === 'Failed' || phase === 'Succeeded') return 0
  return wanted ?? graceOf(pod)
}

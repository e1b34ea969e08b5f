import { GROUP, type GroupVersion, type Priorities } from '../api-service.ts'

/** Groups of Kubernetes with the priorities of the group and its versions, as kube-apiserver has them. */
const BUILTIN: Readonly<
  Record<string, readonly [group: number, versions: Readonly<Record<string, number>>]>
> = {
  '': [18_000, { v1: 1 }],
  apps: [17_800, { v1: 15 }],
  'events.k8s.io': [17_750, { v1: 15 }],
  'authentication.k8s.io': [17_700, { v1: 15 }],
  'authorization.k8s.io': [17_600, { v1: 15 }],
  autoscaling: [17_500, { v1: 15, v2: 30 }],
  batch: [17_400, { v1: 15 }],
  'certificates.k8s.io': [17_300, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'networking.k8s.io': [17_200, { v1: 15, v1beta1: 9 }],
  policy: [17_100, { v1: 15 }],
  'rbac.authorization.k8s.io': [17_000, { v1: 15 }],
  'storage.k8s.io': [16_800, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'apiextensions.k8s.io': [16_700, { v1: 15 }],
  'admissionregistration.k8s.io': [16_700, { v1: 15, v1beta1: 12, v1alpha1: 9 }],
  'scheduling.k8s.io': [16_600, { v1: 15, v1alpha2: 2 }],
  'coordination.k8s.io': [16_500, { v1: 15, v1beta1: 13, v1alpha2: 12 }],
  'node.k8s.io': [16_300, { v1: 15 }],
  'discovery.k8s.io': [16_200, { v1: 15 }],
  'resource.k8s.io': [16_200, { v1: 21, v1beta2: 15, v1beta1: 9, v1alpha3: 1 }],
  'flowcontrol.apiserver.k8s.io': [16_100, { v1: 21 }],
}

/** Priorities of groups that upstream does not know: the defaults of its aggregated discovery. */
const UNKNOWN: Priorities = { groupPriorityMinimum: 1000, versionPriority: 15 }

/** Priorities of custom resources. Versions of equal priority are in the order of Kubernetes' versions. */
export const CUSTOM: Priorities = { groupPriorityMinimum: 1000, versionPriority: 100 }

/** Priorities of the group of APIServices itself. It comes first, beyond what an APIService may ask for. */
const FIRST: Priorities = { groupPriorityMinimum: 20_001, versionPriority: 1 }

/** Returns the priorities of a group-version that this server has from its start. */
export function builtinPriorities({ group, version }: GroupVersion): Priorities {
  if (group === GROUP) return FIRST
  const [groupPriorityMinimum, versions] = (Object.hasOwn(BUILTIN, group) && BUILTIN[group]) || []
  const versionPriority = versions && Object.hasOwn(versions, version) ? versions[version] : undefined
  return groupPriorityMinimum === undefined || versionPriority === undefined
    ? UNKNOWN
    : { groupPriorityMinimum, versionPriority }
}

import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { numberAt, objectAt, objectsAt, sameJson } from '../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import { familyOf, legacyIp } from '../../../apimachinery/validation/ip.ts'

const FIXED_SPEC =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

/** Validates an update: only images, the deadline, more tolerations, a negative grace period may change. */
export function validatePodUpdate(pod: Field, old: KubeObject): void {
  const allowed = (object: JsonObject): JsonObject => {
    const { activeDeadlineSeconds, tolerations, terminationGracePeriodSeconds, ...spec } = objectAt(
      object,
      'spec',
    )
    return { ...spec, ...withoutImages(spec, 'containers'), ...withoutImages(spec, 'initContainers') }
  }
  const spec = pod.child('spec').object
  const before = objectAt(old, 'spec')
  const hasAllTolerations = objectsAt(before, 'tolerations').every((item) =>
    objectsAt(spec, 'tolerations').some((candidate) =>
      sameJson({ ...candidate, tolerationSeconds: 0 }, { ...item, tolerationSeconds: 0 }),
    ),
  )
  const grace = spec.terminationGracePeriodSeconds
  const sameGrace =
    grace === before.terminationGracePeriodSeconds ||
    (grace === 1 && (numberAt(before, 'terminationGracePeriodSeconds') ?? 0) < 0)
  if (!hasAllTolerations || !sameGrace || !sameJson(allowed(pod.object), allowed(old)))
    pod.child('spec').forbidden(FIXED_SPEC)
}

function withoutImages(spec: JsonObject, list: string): JsonObject {
  return { [list]: objectsAt(spec, list).map(({ image, ...container }) => container) }
}

/** Validates the status: a pod has at most one address of each family. */
export function validatePodStatus(pod: Field): void {
  const list = pod.child('status', 'podIPs')
  const addresses = list.items().map((item) => item.child('ip').text)
  for (const [index, address] of addresses.entries()) list.item(index).with(address).follows(legacyIp)
  if (addresses.length < 2) return
  const bad = addresses.findIndex((address) => familyOf(address) === undefined)
  if (bad >= 0)
    list.internal(`failed to check for dual stack with error:invalid IP[${bad}]: ${addresses[bad]}`)
  if (addresses.length > 2 || new Set(addresses.map(familyOf)).size < 2 || bad >= 0)
    list.invalid(
      'may specify no more than one IP for each IP family',
      addresses.map((address) => ({ IP: address })),
    )
}

import {
  type FieldError,
  forbiddenField,
  internalField,
  invalidValue,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { numberAt, objectAt, objectsAt, sameJson, stringAt } from '../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { familyOf, legacyIpErrors } from '../../../apimachinery/validation/ip.ts'

const FIXED_SPEC =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

/** Validates an update: only images, the deadline, more tolerations, a negative grace period may change. */
export function podUpdateErrors(pod: KubeObject, old: KubeObject): FieldError[] {
  const allowed = (object: KubeObject): JsonObject => {
    const { activeDeadlineSeconds, tolerations, terminationGracePeriodSeconds, ...spec } = objectAt(
      object,
      'spec',
    )
    return { ...spec, ...withoutImages(spec, 'containers'), ...withoutImages(spec, 'initContainers') }
  }
  const spec = objectAt(pod, 'spec')
  const before = objectAt(old, 'spec')
  const kept = objectsAt(before, 'tolerations').every((item) =>
    objectsAt(spec, 'tolerations').some((candidate) =>
      sameJson({ ...candidate, tolerationSeconds: 0 }, { ...item, tolerationSeconds: 0 }),
    ),
  )
  const grace = spec.terminationGracePeriodSeconds
  const sameGrace =
    grace === before.terminationGracePeriodSeconds ||
    (grace === 1 && (numberAt(before, 'terminationGracePeriodSeconds') ?? 0) < 0)
  return kept && sameGrace && sameJson(allowed(pod), allowed(old)) ? [] : [forbiddenField('spec', FIXED_SPEC)]
}

function withoutImages(spec: JsonObject, list: string): JsonObject {
  return { [list]: objectsAt(spec, list).map(({ image, ...container }) => container) }
}

/** Validates the status: a pod has at most one address of each family. */
export function podStatusErrors(pod: KubeObject): FieldError[] {
  const addresses = objectsAt(objectAt(pod, 'status'), 'podIPs').map((item) => stringAt(item, 'ip'))
  const malformed = addresses.flatMap((address, index) => legacyIpErrors(`status.podIPs[${index}]`, address))
  const bad = addresses.findIndex((address) => familyOf(address) === undefined)
  const errors = [...malformed]
  if (addresses.length > 1 && bad >= 0) {
    const text = `failed to check for dual stack with error:invalid IP[${bad}]: ${addresses[bad]}`
    errors.push(internalField('status.podIPs', text))
  }
  const families = new Set(addresses.map(familyOf))
  if (addresses.length > 1 && (addresses.length > 2 || families.size < 2 || bad >= 0)) {
    const shown = addresses.map((address) => ({ IP: address }))
    errors.push(invalidValue('status.podIPs', shown, 'may specify no more than one IP for each IP family'))
  }
  return errors
}

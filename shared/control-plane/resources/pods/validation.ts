import {
  duplicate,
  type FieldError,
  forbiddenField,
  internalField,
  invalidValue,
  notSupported,
  required,
} from '../../errors/index.ts'
import { type JsonObject, numberAt, objectAt, objectsAt, sameJson, stringAt } from '../../json.ts'
import type { KubeObject } from '../../objects.ts'
import { familyOf, labelName, legacyIpErrors, portName } from '../../validation/index.ts'

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never']
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']
const PROTOCOLS = ['SCTP', 'TCP', 'UDP']
const RANGE = 'must be between 1 and 65535, inclusive'
const FIXED_SPEC =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

export function podErrors(pod: KubeObject): FieldError[] {
  const spec = objectAt(pod, 'spec')
  const grace = numberAt(spec, 'terminationGracePeriodSeconds') ?? 0
  return [
    ...volumeErrors(spec),
    ...containerListErrors('spec.containers', objectsAt(spec, 'containers'), true),
    ...containerListErrors('spec.initContainers', objectsAt(spec, 'initContainers'), false),
    ...oneOf('spec.restartPolicy', spec.restartPolicy, RESTART_POLICIES),
    ...oneOf('spec.dnsPolicy', spec.dnsPolicy, DNS_POLICIES),
    ...(grace < 0
      ? [invalidValue('spec.terminationGracePeriodSeconds', grace, 'must be greater than or equal to 0')]
      : []),
    ...nameErrors('spec.hostname', stringAt(spec, 'hostname')),
    ...nameErrors('spec.subdomain', stringAt(spec, 'subdomain')),
  ]
}

function oneOf(field: string, value: JsonObject[string], allowed: readonly string[]): FieldError[] {
  if (typeof value === 'string' && allowed.includes(value)) return []
  return value === undefined ? [required(field)] : [notSupported(field, value, allowed)]
}

function nameErrors(field: string, value: string): FieldError[] {
  return value === '' ? [] : labelName(value).map((text) => invalidValue(field, value, text))
}

function volumeErrors(spec: JsonObject): FieldError[] {
  const seen = new Set<string>()
  return objectsAt(spec, 'volumes').flatMap((volume, index) => {
    const field = `spec.volumes[${index}].name`
    const name = stringAt(volume, 'name')
    if (name === '') return [required(field)]
    const repeated = seen.has(name) ? [duplicate(field, name)] : []
    seen.add(name)
    return [...nameErrors(field, name), ...repeated]
  })
}

function containerListErrors(at: string, containers: readonly JsonObject[], needed: boolean): FieldError[] {
  if (containers.length === 0) return needed ? [required(at)] : []
  const names = new Set<string>()
  return containers.flatMap((container, index) => containerErrors(`${at}[${index}]`, container, names))
}

function containerErrors(at: string, container: JsonObject, names: Set<string>): FieldError[] {
  const name = stringAt(container, 'name')
  const image = stringAt(container, 'image')
  const errors: FieldError[] = []
  if (name === '') errors.push(required(`${at}.name`))
  else errors.push(...nameErrors(`${at}.name`, name))
  if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name))
  names.add(name)
  if (image === '') errors.push(required(`${at}.image`))
  else if (image !== image.trim()) {
    errors.push(invalidValue(`${at}.image`, image, 'must not have leading or trailing whitespace'))
  }
  errors.push(...portErrors(at, objectsAt(container, 'ports')))
  errors.push(...oneOf(`${at}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES))
  return errors
}

function portErrors(at: string, ports: readonly JsonObject[]): FieldError[] {
  const names = new Set<string>()
  return ports.flatMap((port, index) => {
    const field = `${at}.ports[${index}]`
    const name = stringAt(port, 'name')
    const number = numberAt(port, 'containerPort') ?? 0
    const repeated = name !== '' && names.has(name) ? [duplicate(`${field}.name`, name)] : []
    names.add(name)
    return [
      ...(name === '' ? [] : portName(name).map((text) => invalidValue(`${field}.name`, name, text))),
      ...repeated,
      ...(number === 0 ? [required(`${field}.containerPort`)] : []),
      ...(number < 0 || number > 65_535 ? [invalidValue(`${field}.containerPort`, number, RANGE)] : []),
      ...oneOf(`${field}.protocol`, port.protocol, PROTOCOLS),
    ]
  })
}

/** Of a pod's spec only images, the deadline, additional tolerations and a negative grace period may change. */
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

/** A pod has at most one address of each family. */
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

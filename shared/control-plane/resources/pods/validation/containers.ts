import { labelName, portName } from '../../../../kubernetes/index.ts'
import { duplicate, type FieldError, invalidValue, required } from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { integerAt, numberAt, objectsAt, stringAt } from '../../../apimachinery/json/values.ts'
import { amountErrors } from './amounts.ts'
import { oneOf, PORT_RANGE, ruledAndRequired } from './checks.ts'
import { environmentErrors } from './environment.ts'
import { forbiddenHandlers, handlersErrors } from './handlers.ts'
import { mountErrors } from './mounts.ts'
import { securityErrors } from './security.ts'

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError']
const PROTOCOLS = ['SCTP', 'TCP', 'UDP']

/** Validates the containers that run for as long as the pod (upstream: validateContainers). */
export function containerErrors(spec: JsonObject, volumes: ReadonlySet<string>): FieldError[] {
  const containers = objectsAt(spec, 'containers')
  if (containers.length === 0) return [required('spec.containers')]
  const names = new Set<string>()
  return [
    ...containers.flatMap((container, index) => {
      const at = `spec.containers[${index}]`
      return [
        ...commonErrors(container, at, spec, volumes),
        ...repeatErrors(container, at, names),
        ...handlersErrors(container, at, graceOf(spec)),
      ]
    }),
    ...hostPortErrors(containers, 'spec.containers'),
  ]
}

/** Validates the containers that start before the others (upstream: validateInitContainers). */
export function initContainerErrors(spec: JsonObject, volumes: ReadonlySet<string>): FieldError[] {
  const names = new Set(objectsAt(spec, 'containers').map((container) => stringAt(container, 'name')))
  return objectsAt(spec, 'initContainers').flatMap((container, index) => {
    const at = `spec.initContainers[${index}]`
    return [
      ...commonErrors(container, at, spec, volumes),
      ...repeatErrors(container, at, names),
      ...hostPortErrors([container], 'spec.initContainers'),
      ...(container.restartPolicy === 'Always'
        ? handlersErrors(container, at, graceOf(spec))
        : forbiddenHandlers(container, at)),
    ]
  })
}

/** Validates the ports of pods that use the network of their node: they are the node's ports. */
export function hostNetworkErrors(spec: JsonObject): FieldError[] {
  if (spec.hostNetwork !== true) return []
  return objectsAt(spec, 'containers').flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, place) => {
      const [host, own] = [numberAt(port, 'hostPort') ?? 0, numberAt(port, 'containerPort') ?? 0]
      const field = `spec.containers[${index}].ports[${place}].hostPort`
      const why = 'must match `containerPort` when `hostNetwork` is true'
      return host === own ? [] : [invalidValue(field, host, why)]
    }),
  )
}

const graceOf = (spec: JsonObject): number | bigint => integerAt(spec, 'terminationGracePeriodSeconds') ?? 0

function commonErrors(
  container: JsonObject,
  at: string,
  spec: JsonObject,
  volumes: ReadonlySet<string>,
): FieldError[] {
  return [
    ...ruledAndRequired(`${at}.name`, stringAt(container, 'name'), labelName),
    ...imageErrors(container, at),
    ...oneOf(`${at}.terminationMessagePolicy`, container.terminationMessagePolicy, MESSAGE_POLICIES),
    ...portsErrors(container, `${at}.ports`),
    ...environmentErrors(container, at),
    ...mountErrors(container, at, volumes),
    ...oneOf(`${at}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES),
    ...amountErrors(container, at),
    ...securityErrors(container, at, spec.hostUsers !== false),
  ]
}

function imageErrors(container: JsonObject, at: string): FieldError[] {
  const image = stringAt(container, 'image')
  if (image === '') return [required(`${at}.image`)]
  return image === image.trim()
    ? []
    : [invalidValue(`${at}.image`, image, 'must not have leading or trailing whitespace')]
}

function repeatErrors(container: JsonObject, at: string, names: Set<string>): FieldError[] {
  const name = stringAt(container, 'name')
  const isRepeated = name !== '' && names.has(name)
  names.add(name)
  return isRepeated ? [duplicate(`${at}.name`, name)] : []
}

function portsErrors(container: JsonObject, at: string): FieldError[] {
  const names = new Set<string>()
  return objectsAt(container, 'ports').flatMap((port, index) => {
    const field = `${at}[${index}]`
    const name = stringAt(port, 'name')
    const malformed = name === '' ? [] : portName(name)
    const repeated = malformed.length === 0 && name !== '' && names.has(name)
    names.add(name)
    const number = numberAt(port, 'containerPort') ?? 0
    return [
      ...malformed.map((text) => invalidValue(`${field}.name`, name, text)),
      ...(repeated ? [duplicate(`${field}.name`, name)] : []),
      ...(number === 0
        ? [required(`${field}.containerPort`)]
        : numberErrors(`${field}.containerPort`, number)),
      ...numberErrors(`${field}.hostPort`, numberAt(port, 'hostPort') ?? 0),
      ...oneOf(`${field}.protocol`, port.protocol, PROTOCOLS),
    ]
  })
}

/** Validates a port's number. 0 counts as absent. */
const numberErrors = (field: string, port: number): FieldError[] =>
  port < 0 || port > 65_535 ? [invalidValue(field, port, PORT_RANGE)] : []

/** Reports ports of the node that are used twice. */
function hostPortErrors(containers: readonly JsonObject[], list: string): FieldError[] {
  const taken = new Set<string>()
  return containers.flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, place) => {
      const number = numberAt(port, 'hostPort') ?? 0
      if (number === 0) return []
      const key = `${stringAt(port, 'protocol')}/${stringAt(port, 'hostIP')}/${number}`
      const isTaken = taken.has(key)
      taken.add(key)
      return isTaken ? [duplicate(`${list}[${index}].ports[${place}].hostPort`, key)] : []
    }),
  )
}

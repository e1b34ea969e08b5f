import { labelName, portName } from '../../../../kubernetes/index.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import { PROTOCOLS } from '../../services/spec.ts'
import { validateResources } from './amounts.ts'
import { PORT_RANGE } from './checks.ts'
import { validateEnvironment } from './environment.ts'
import { forbidHandlers, validateHandlers } from './handlers.ts'
import { validateMounts } from './mounts.ts'
import { validateSecurity } from './security.ts'

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError']

/** Validates the containers that run for as long as the pod (upstream: validateContainers). */
export function validateContainers(spec: Field, volumes: ReadonlySet<string>): void {
  const containers = spec.child('containers')
  if (!containers.notEmpty()) return
  const names = new Set<string>()
  for (const container of containers.items()) {
    validateContainer(container, spec, volumes)
    container.child('name').ifFilled?.unique(names)
    validateHandlers(container, spec)
  }
  const taken = new Set<string>()
  for (const container of containers.items()) validateHostPorts(container, taken)
}

/** Validates the containers that start before the others (upstream: validateInitContainers). */
export function validateInitContainers(spec: Field, volumes: ReadonlySet<string>): void {
  const names = new Set(
    spec
      .child('containers')
      .items()
      .map((container) => container.child('name').text),
  )
  for (const container of spec.child('initContainers').items()) {
    validateContainer(container, spec, volumes)
    container.child('name').ifFilled?.unique(names)
    // Upstream checks one at a time, as if it were the first.
    validateHostPorts(container.as('spec.initContainers[0]'), new Set())
    if (container.object.restartPolicy === 'Always') validateHandlers(container, spec)
    else forbidHandlers(container)
  }
}

/** Validates the ports of pods that use the network of their node: they are the node's ports. */
export function validateHostNetwork(spec: Field): void {
  if (spec.object.hostNetwork !== true) return
  for (const container of spec.child('containers').items()) {
    for (const port of container.child('ports').items()) {
      const host = port.child('hostPort')
      if (host.number !== port.child('containerPort').number)
        host.invalid('must match `containerPort` when `hostNetwork` is true', host.number)
    }
  }
}

function validateContainer(container: Field, spec: Field, volumes: ReadonlySet<string>): void {
  container.child('name').notEmpty()?.follows(labelName)
  const image = container.child('image')
  if (image.notEmpty() && image.text !== image.text.trim())
    image.invalid('must not have leading or trailing whitespace')
  container.child('terminationMessagePolicy').notEmpty()?.oneOf(MESSAGE_POLICIES)
  validatePorts(container.child('ports'))
  validateEnvironment(container)
  validateMounts(container, volumes)
  container.child('imagePullPolicy').notEmpty()?.oneOf(PULL_POLICIES)
  validateResources(container.child('resources'))
  validateSecurity(container.child('securityContext'), spec.object.hostUsers !== false)
}

function validatePorts(ports: Field): void {
  const names = new Set<string>()
  for (const port of ports.items()) {
    const [name, number] = [port.child('name'), port.child('containerPort')]
    if (name.ifFilled?.follows(portName)) name.unique(names)
    if (number.number === 0) number.required()
    else validateNumber(number)
    validateNumber(port.child('hostPort'))
    port.child('protocol').notEmpty()?.oneOf(PROTOCOLS)
  }
}

/** Validates a port's number. 0 counts as absent. */
function validateNumber(port: Field): void {
  port.between(0, 65_535, PORT_RANGE)
}

/** Reports ports of the node that are used twice. */
function validateHostPorts(container: Field, taken: Set<string>): void {
  for (const port of container.child('ports').items()) {
    const { protocol = '', hostIP = '', hostPort = 0 } = port.object
    if (hostPort !== 0) port.child('hostPort').unique(taken, `${protocol}/${hostIP}/${hostPort}`)
  }
}

import type { Field } from '../../../apimachinery/validation/field.ts'
import { validateKind, validatePort } from './checks.ts'

const SCHEMES = ['HTTP', 'HTTPS']
const NOT_NEGATIVE = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
]
const HEADER_NAME =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe']
const KINDS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep']

/** Validates probes and hooks of a container that runs beside the others. */
export function validateHandlers(container: Field, spec: Field): void {
  const grace = spec.child('terminationGracePeriodSeconds').number
  for (const hook of ['postStart', 'preStop'].map((name) => container.child('lifecycle', name)))
    if (hook.ifObject) validateHandler(hook, grace)
  for (const name of PROBES) {
    const probe = container.child(name)
    if (probe.ifObject) validateProbe(probe, name === 'readinessProbe')
  }
}

/** Forbids them in containers that end before the others start. */
export function forbidHandlers(container: Field): void {
  for (const handler of ['lifecycle', ...PROBES].map((member) => container.child(member)))
    if (handler.ifObject) handler.forbidden('may not be set for init containers without restartPolicy=Always')
}

function validateProbe(probe: Field, isReadiness: boolean): void {
  const [success, grace] = [probe.child('successThreshold'), probe.child('terminationGracePeriodSeconds')]
  validateHandler(probe, 0)
  for (const member of NOT_NEGATIVE) probe.child(member).atLeast(0, 'must be greater than or equal to 0')
  grace.ifSet?.atLeast(1, 'must be greater than 0')
  if (!isReadiness && success.number !== 1) success.invalid('must be 1', success.number)
  if (isReadiness) grace.ifSet?.invalid('must not be set for readinessProbes')
}

/** @param grace seconds that the pod has to end */
function validateHandler(handler: Field, grace: number): void {
  validateKind(handler, 'handler', KINDS, {
    exec: (exec) => exec.child('command').notEmpty(),
    httpGet: validateRequest,
    tcpSocket: (socket) => validatePort(socket.child('port')),
    grpc: (call) => validatePort(call.child('port')),
    sleep: (sleep) => {
      const seconds = sleep.child('seconds').number
      if (seconds < 0 || seconds > grace)
        sleep.invalid(`must be non-negative and less than terminationGracePeriodSeconds (${grace})`, seconds)
    },
  })
}

function validateRequest(request: Field): void {
  request.child('path').notEmpty()
  validatePort(request.child('port'))
  request.child('scheme').notEmpty()?.oneOf(SCHEMES)
  const headers = request.child('httpHeaders')
  for (const header of headers.items()) {
    const name = header.child('name').text
    if (!/^[-A-Za-z0-9]+$/.test(name)) headers.invalid(HEADER_NAME, name)
  }
}

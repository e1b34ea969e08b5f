import {
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { integerAt, numberAt, objectsAt, stringAt, stringsAt } from '../../../apimachinery/json/values.ts'
import { oneOf, portErrors, presentAt } from './checks.ts'

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
const MEMBERS = ['lifecycle', ...PROBES]

/** Probes and hooks of a container that runs beside the others. `grace` is that of its pod. */
export function handlersErrors(container: JsonObject, at: string, grace: number | bigint): FieldError[] {
  const lifecycle = presentAt(container, 'lifecycle') ?? {}
  return [
    ...['postStart', 'preStop'].flatMap((hook) => {
      const handler = presentAt(lifecycle, hook)
      return handler ? handlerErrors(handler, `${at}.lifecycle.${hook}`, grace) : []
    }),
    ...PROBES.flatMap((name) => {
      const probe = presentAt(container, name)
      return probe ? probeErrors(probe, name, `${at}.${name}`) : []
    }),
  ]
}

/** Containers that end before the others start have none. */
export function forbiddenHandlers(container: JsonObject, at: string): FieldError[] {
  const why = 'may not be set for init containers without restartPolicy=Always'
  return MEMBERS.filter((member) => presentAt(container, member)).map((member) =>
    forbiddenField(`${at}.${member}`, why),
  )
}

function probeErrors(probe: JsonObject, name: string, at: string): FieldError[] {
  const success = numberAt(probe, 'successThreshold') ?? 0
  const grace = integerAt(probe, 'terminationGracePeriodSeconds')
  const graceField = `${at}.terminationGracePeriodSeconds`
  const isReadiness = name === 'readinessProbe'
  return [
    ...handlerErrors(probe, at, 0),
    ...NOT_NEGATIVE.flatMap((member) => {
      const value = numberAt(probe, member) ?? 0
      const why = 'must be greater than or equal to 0'
      return value < 0 ? [invalidValue(`${at}.${member}`, value, why)] : []
    }),
    ...(grace !== undefined && grace <= 0 ? [invalidValue(graceField, grace, 'must be greater than 0')] : []),
    ...(isReadiness || success === 1 ? [] : [invalidValue(`${at}.successThreshold`, success, 'must be 1')]),
    ...(isReadiness && grace !== undefined
      ? [invalidValue(graceField, grace, 'must not be set for readinessProbes')]
      : []),
  ]
}

function handlerErrors(handler: JsonObject, at: string, grace: number | bigint): FieldError[] {
  const [kind, ...others] = Object.keys(HANDLERS).filter((member) => presentAt(handler, member))
  if (kind === undefined) return [required(at, 'must specify a handler type')]
  return [
    ...(HANDLERS[kind]?.(presentAt(handler, kind) ?? {}, `${at}.${kind}`, grace) ?? []),
    ...others.map((other) => forbiddenField(`${at}.${other}`, 'may not specify more than 1 handler type')),
  ]
}

type Check = (action: JsonObject, at: string, grace: number | bigint) => FieldError[]

/** Checks by member, in the order in which a second handler is noticed. */
const HANDLERS: Readonly<Record<string, Check | undefined>> = {
  exec: (action, at) => (stringsAt(action, 'command').length === 0 ? [required(`${at}.command`)] : []),
  httpGet: (action, at) => [
    ...(stringAt(action, 'path') === '' ? [required(`${at}.path`)] : []),
    ...portErrors(`${at}.port`, action.port),
    ...oneOf(`${at}.scheme`, action.scheme, SCHEMES),
    ...objectsAt(action, 'httpHeaders')
      .map((header) => stringAt(header, 'name'))
      .filter((name) => !/^[-A-Za-z0-9]+$/.test(name))
      .map((name) => invalidValue(`${at}.httpHeaders`, name, HEADER_NAME)),
  ],
  tcpSocket: (action, at) => portErrors(`${at}.port`, action.port),
  grpc: (action, at) => portErrors(`${at}.port`, action.port),
  sleep: (action, at, grace) => {
    const seconds = integerAt(action, 'seconds') ?? 0
    const why = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`
    return seconds < 0 || seconds > grace ? [invalidValue(at, seconds, why)] : []
  },
}

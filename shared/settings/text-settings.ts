import { shown } from './setting.ts'

/** A label value: up to 63 letters, digits, `-`, `_`, `.`; a letter or digit at both ends. */
const LABEL_VALUE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/

const MIRRORING_CONTROLLER = 'endpointslicemirroring-controller.k8s.io'

/** Returns what is wrong with a managed-by value, in words, or `undefined` if it can be used. */
export function labelValueProblem(text: string): string | undefined {
  if (!LABEL_VALUE.test(text))
    return `${shown(text)} is not a label value: at most 63 letters, digits, "-", "_" or ".", the first and the last a letter or a digit`
  if (text === MIRRORING_CONTROLLER)
    return `${MIRRORING_CONTROLLER} is the in-tree mirroring controller’s, whose slices Sliceflow never takes over: choose another value, or leave it out`
  return undefined
}

/** Returns what is wrong with a shard, in words, or `undefined` if it can be used. */
export function shardProblem(text: string): string | undefined {
  if (!/^\d{1,3}\/[1-9]\d{0,2}$/.test(text))
    return `${shown(text)} is not INDEX/COUNT, such as 0/3 for the first of three relays`
  const [index = 0, count = 0] = text.split('/').map(Number)
  if (index < count) return undefined
  return `${shown(text)} has an index that is not below the count; the nearest is ${count - 1}/${count}`
}

/** Nothing is traced. */
export const NO_TRACES = 'off'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Returns what is wrong with the endpoint of traces, in words, or `undefined` if it can be used. */
export function traceEndpointProblem(text: string): string | undefined {
  if (text === NO_TRACES) return undefined
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    return `must be ${NO_TRACES}, or the URL of a collector that speaks OTLP over HTTP, such as http://127.0.0.1:4318`
  if (url.username !== '' || url.password !== '')
    return 'must not hold a password: put what authenticates into OTEL_EXPORTER_OTLP_HEADERS'
  if (url.search !== '' || url.hash !== '') return 'must end with its path: leave out what follows ? or #'
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    return 'must begin with https, unless the collector is on this machine (127.0.0.1, ::1, localhost): traces name Services and Pods'
  return undefined
}

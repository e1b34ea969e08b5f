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

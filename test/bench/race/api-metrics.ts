/** Requests to an API server, without the driver's own writes and all watches. */
export interface ApiTraffic {
  readonly requests: number
  /** Size of the answers to reads, in kB. */
  readonly kilobytesRead: number
}

const RESOURCES = new Set(['endpointslices', 'pods', 'nodes', 'services', 'namespaces', 'events'])
const READS = new Set(['GET', 'LIST'])
const SAMPLE = /^(apiserver_request_total|apiserver_response_sizes_sum)\{(.*)\} (\S+)$/

/**
 * Sums what kube-apiserver counts. The driver reads nothing while it is measured and writes no slices, so
 * that reads of anything and writes of slices and events are the controller's.
 * @param text of /metrics
 */
export function trafficOf(text: string): ApiTraffic {
  let requests = 0
  let bytes = 0
  for (const line of text.split('\n')) {
    const [, name, labelText = '', value] = SAMPLE.exec(line) ?? []
    if (name === undefined) continue
    const labels = new Map([...labelText.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text]))
    if (!isController(labels.get('verb') ?? '', labels.get('resource') ?? '')) continue
    if (name === 'apiserver_request_total') requests += Number(value)
    else bytes += Number(value)
  }
  return { requests, kilobytesRead: bytes / 1000 }
}

function isController(verb: string, resource: string): boolean {
  if (!RESOURCES.has(resource) || verb === 'WATCH') return false
  return READS.has(verb) || resource === 'endpointslices' || resource === 'events'
}

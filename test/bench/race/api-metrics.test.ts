import { describe, expect, it } from 'vitest'
import { trafficOf } from './api-metrics.ts'

const total = (verb: string, resource: string, count: number, subresource = ''): string =>
  `apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="${resource}",scope="resource",subresource="${subresource}",verb="${verb}",version="v1"} ${count}`

describe('the traffic of a controller', () => {
  it('is its reads and its writes of slices, and not the driver’s writes, watches or what the server keeps for itself', () => {
    const text = [
      '# TYPE apiserver_request_total counter',
      total('GET', 'pods', 3),
      total('LIST', 'nodes', 2),
      total('PUT', 'endpointslices', 1),
      total('PATCH', 'pods', 100, 'status'),
      total('POST', 'pods', 100),
      total('WATCH', 'endpointslices', 100),
      total('GET', 'leases', 100),
      'apiserver_request_total_other{resource="pods",verb="GET"} 100',
    ].join('\n')
    expect(trafficOf(text)).toEqual({ requests: 6, kilobytesRead: 0 })
  })

  it('has the bytes that reads were answered with', () => {
    const text = [
      'apiserver_response_sizes_sum{resource="pods",verb="LIST"} 1.5e+06',
      'apiserver_response_sizes_sum{resource="services",verb="GET"} 500',
      'apiserver_response_sizes_sum{resource="configmaps",verb="GET"} 500',
    ].join('\n')
    expect(trafficOf(text)).toEqual({ requests: 0, kilobytesRead: 1500.5 })
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import { type ClusterIndex, createClusterIndex, HINTED_PODS, type SyncHint } from './index.ts'
import { change, names, node, pod, service, slice } from './sync-hints.fixtures.ts'

describe('what the relay has seen of the Pods', () => {
  let index: ClusterIndex
  const hintOf = (...pods: string[]): SyncHint | undefined =>
    index.hints(change(...pods), { maxEndpointsPerSlice: 10, maximumEndpoints: 0 }, 5).hint

  /** Lists a Service whose slice has the Pods p and q. */
  function listed(version = '200'): void {
    index = createClusterIndex('a', 'replace')
    const kinds = [index.services, index.nodes, index.pods, index.slices]
    for (const kind of kinds) kind.listing()
    index.services.put(service())
    index.nodes.put(node('n1', 'z1'))
    for (const name of ['p', 'q']) index.pods.put(pod(name))
    index.slices.put(slice('one', ['p', 'q']))
    for (const kind of kinds) kind.listed(version)
  }
  beforeEach(() => listed())

  it('is said of each Pod that a slice holds, with its zone and ports', () => {
    const ports = [{ name: 'http', containerPort: 8080, protocol: 'TCP' }]
    index.pods.put({ ...pod('q'), spec: { nodeName: 'n9', containers: [{ name: 'app', ports }] } })
    expect(hintOf('p', 'q')?.facts).toEqual({
      at: 5,
      selector: 'app in (web)',
      pods: [
        { endpoint: ['uid-p', ['10.0.0.1'], 'n1', 1, 0, '', '', ''], ports: [], zone: 'z1' },
        { endpoint: ['uid-q', ['10.0.0.1'], 'n9', 1, 0, '', '', ''], ports },
      ],
    })
  })

  it('is that a Pod is gone, or not selected', () => {
    index.pods.remove(pod('p'))
    index.pods.put({ ...pod('q'), metadata: { ...pod('q').metadata, labels: { app: 'other' } } })
    expect(hintOf('p', 'q')?.facts?.pods).toMatchObject([null, { isSelected: false }])
  })

  it('is marked where it is of a Pod that no slice holds, and the Node is named for those who read', () => {
    index.pods.put(pod('new'))
    expect(hintOf('new')).toMatchObject({ nodes: ['n1'], facts: { addsEndpoints: true } })
    expect(hintOf('p', 'new')?.facts?.addsEndpoints).toBe(true)
    expect(hintOf('p')).toHaveProperty('nodes', undefined)
  })

  it('is not said of a Pod without an address, which may have finished, nor where it is too long', () => {
    index.pods.put(pod('p', ''))
    expect(hintOf('p')?.facts).toBeUndefined()
    expect(hintOf('q')?.facts).toBeDefined()
    const name = 'n'.repeat(500)
    index.pods.put({ ...pod('q'), spec: { nodeName: name, containers: [] } })
    expect(hintOf('q')?.facts).toBeUndefined()
    const ports = Array.from({ length: 1_000 }, (_, at) => ({ name: `port-${at}`, containerPort: at + 1 }))
    index.pods.put({ ...pod('q'), spec: { nodeName: 'n1', containers: [{ name: 'app', ports }] } })
    expect(hintOf('q')?.facts).toBeUndefined()
  })

  it('is said of as many Pods as a hint names', () => {
    const all = names(HINTED_PODS, 'n')
    for (const name of all) index.pods.put(pod(name))
    index.slices.put(slice('many', names(300, 'n')))
    expect(hintOf(...all)?.facts?.pods).toHaveLength(HINTED_PODS)
  })

  it('is not said while Pods are listed', () => {
    index.pods.listing()
    expect(hintOf('p')?.facts).toBeUndefined()
    index.pods.put(pod('p'))
    index.pods.listed('300')
    expect(hintOf('p')?.facts).toBeDefined()
  })

  it('has the version of the last event, bookmark or list of Pods', () => {
    const version = (): string | undefined =>
      index.hints(change('p'), { maxEndpointsPerSlice: 10, maximumEndpoints: 0 }, 5).podsVersion
    expect(version()).toBe('200')
    index.pods.put({ ...pod('p'), metadata: { ...pod('p').metadata, resourceVersion: '210' } })
    expect(version()).toBe('210')
    index.pods.bookmark('220')
    expect(version()).toBe('220')
    index.pods.remove({ ...pod('q'), metadata: { ...pod('q').metadata, resourceVersion: '230' } })
    expect(version()).toBe('230')
    index.pods.listing()
    index.pods.listed('90')
    expect(version()).toBe('90')
  })
})

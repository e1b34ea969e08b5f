import { describe, expect, it } from 'vitest'
import { type Change, createClusterIndex } from '../index.ts'
import { type PodOptions, pod, service, services } from './cluster-index.fixtures.ts'

describe('a change of a pod', () => {
  const READY: PodOptions = {}
  const UNREADY: PodOptions = { ready: false }
  const DRAINING: PodOptions = { terminating: true }
  const STOPPED: PodOptions = { terminating: true, ready: false }
  const FINISHED: PodOptions = { phase: 'Succeeded' }

  function changeOf(before: PodOptions | undefined, after: PodOptions | undefined, of = 'web'): Change {
    const index = createClusterIndex('a', 'replace')
    index.services.put(service('web', 'web'))
    index.services.put(
      service('peers', 'peers', { spec: { selector: { app: 'peers' }, publishNotReadyAddresses: true } }),
    )
    if (before !== undefined) index.pods.put(pod('p', { app: of, ...before }))
    const changes =
      after === undefined
        ? index.pods.remove(pod('p', { app: of }))
        : index.pods.put(pod('p', { app: of, ...after }))
    expect(services(changes)).toEqual([of])
    return changes[0] as Change
  }

  it.each([
    ['is added unready', undefined, UNREADY],
    ['begins to terminate while it serves', READY, DRAINING],
    ['finishes while it terminates', DRAINING, { ...FINISHED, ...DRAINING }],
    ['is gone after it terminated', DRAINING, undefined],
  ])('that %s may wait', (_what, before, after) => {
    expect(changeOf(before, after).deferrable).toBe(true)
  })

  it.each([
    ['is added ready', undefined, READY],
    ['terminates and does not serve any more', READY, STOPPED],
    ['finishes without having terminated', READY, FINISHED],
    ['is gone without having terminated', READY, undefined],
    ['is another one of its name that is ready', DRAINING, { ip: '10.0.0.2' }],
  ])('that %s may not', (_what, before, after) => {
    expect(changeOf(before, after)).not.toHaveProperty('deferrable')
  })

  it('of a Service that takes pods before they are ready may not', () => {
    expect(changeOf(undefined, UNREADY, 'peers')).not.toHaveProperty('deferrable')
  })
})

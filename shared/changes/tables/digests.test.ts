import { describe, expect, it } from 'vitest'
import type { Node, Service } from '../../endpointslice/index.ts'
import { knownTime, knownVersion, nodeDigest, readyTransitionTime, serviceDigest } from './digests.ts'

describe('what a message may carry', () => {
  it.each(['1', '9'.repeat(64), 'Zx9_-=.'])('is the version %s', (version) => {
    expect(knownVersion(version)).toBe(version)
  })
  it.each(['', 'a b', 'a\n', '\na', '9'.repeat(65), 7, null, undefined])(
    'is not the version %j',
    (version) => {
      expect(knownVersion(version)).toBeUndefined()
    },
  )
  it.each([null, undefined, 7, '', 'once'])('is not the time %j', (time) => {
    expect(knownTime(time)).toBeUndefined()
  })
  it('is no time of a pod that was never ready', () => {
    expect(readyTransitionTime({ status: { conditions: [] } })).toBeUndefined()
  })
})

describe('the digest of a Service', () => {
  const digest = (more: Service): string => serviceDigest({ spec: { type: 'ClusterIP' }, ...more })

  it('is the same in whatever order labels and selector are written', () => {
    expect(digest({ metadata: { labels: { a: '1', b: '2' } }, spec: { selector: { a: '1', b: '2' } } })).toBe(
      digest({ metadata: { labels: { b: '2', a: '1' } }, spec: { selector: { b: '2', a: '1' } } }),
    )
  })

  it('changes with a misspelt annotation of ours, and with no other that is not read', () => {
    const annotated = (annotations: Record<string, string>): string => digest({ metadata: { annotations } })
    expect(annotated({ 'sliceflow.dev/selecter': 'app=web' })).not.toBe(digest({}))
    expect(annotated({ 'sliceflow.dev/owner': 'me', 'exampleio.dev/selecter': 'x' })).toBe(digest({}))
    const misspelt = { 'sliceflow.dev/selecter': 'app=web', 'sliceflow.dev/adresses': '10.0.0.1' }
    const turned = Object.fromEntries(Object.entries(misspelt).toReversed())
    expect(annotated(turned)).toBe(annotated(misspelt))
  })

  it('is there of a Service without anything', () => {
    expect(serviceDigest({})).toBe(serviceDigest({ metadata: {}, spec: {} }))
    expect(serviceDigest({})).not.toBe(digest({}))
  })
})

describe('the digest of a node', () => {
  const node = (conditions: object[], labels: Record<string, string> = {}, cpu?: string): Node =>
    ({ metadata: { labels }, status: { conditions, allocatable: { ...(cpu && { cpu }) } } }) as Node
  const capacity = (...parts: Parameters<typeof node>): string => nodeDigest(node(...parts)).capacity
  const READY = { type: 'Ready', status: 'True' }
  const PRESSURE = { type: 'DiskPressure', status: 'True' }

  it('tells whether the node is ready, by that condition alone', () => {
    const ready = capacity([PRESSURE, READY])
    expect(capacity([READY])).toBe(ready)
    const notReady = capacity([PRESSURE, { ...READY, status: 'False' }])
    expect(notReady).not.toBe(ready)
    for (const conditions of [[], [PRESSURE], [{ ...READY, status: 'Unknown' }]])
      expect(capacity(conditions)).toBe(notReady)
  })

  it.each(['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'])(
    'tells by the label %s alone that it does not count',
    (label) => {
      expect(capacity([READY], { [label]: '' })).not.toBe(capacity([READY]))
      expect(capacity([READY], { other: '' })).toBe(capacity([READY]))
    },
  )

  it('tells the share, of a bounded length', () => {
    expect(capacity([READY], {}, '4')).not.toBe(capacity([READY], {}, '5'))
    expect(capacity([READY], {}, '4'.repeat(10_000)).length).toBeLessThan(100)
  })

  it('is there of a node without anything', () => {
    for (const bare of [{}, { status: {} }]) expect(nodeDigest(bare)).toEqual(nodeDigest(node([])))
  })
})

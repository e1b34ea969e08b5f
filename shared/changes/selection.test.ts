import { describe, expect, it } from 'vitest'
import type { Service } from '../endpointslice/index.ts'
import { matchesLabels } from '../kubernetes/index.ts'
import { ANNOTATION_SELECTOR, leftoversOf, selectionOf } from './index.ts'

const annotated = (selector: string, spec: Service['spec'] = {}): Service => ({
  metadata: { name: 'cart', annotations: { [ANNOTATION_SELECTOR]: selector } },
  spec,
})

describe('in custom mode', () => {
  it('a Service with the annotation and without a selector is managed by it', () => {
    const selection = selectionOf(annotated('app=web,tier in (a,b)'), 'custom')
    if (selection.kind !== 'managed') throw new Error(selection.kind)
    expect(matchesLabels(selection.selector, { app: 'web', tier: 'b' })).toBe(true)
    expect(matchesLabels(selection.selector, { app: 'web', tier: 'c' })).toBe(false)
  })

  it.each<[string, Service, string]>([
    ['without the annotation', { spec: {} }, 'NotAnnotated'],
    ['with a selector of its own', annotated('app=web', { selector: { app: 'web' } }), 'HasSelector'],
    ['of type ExternalName', annotated('app=web', { type: 'ExternalName' }), 'ExternalName'],
  ])('a Service %s is not managed, and slices made before go', (_what, service, reason) => {
    expect(selectionOf(service, 'custom')).toEqual({ kind: 'unmanaged', leftovers: 'delete', reason })
  })

  it.each([
    ['auto', 'delete', 'keep'],
    ['keep', 'keep', 'keep'],
    ['delete', 'delete', 'delete'],
  ] as const)('with leftovers %s slices are to %s; in replace mode to %s', (policy, custom, replace) => {
    const service = annotated('app=web', { type: 'ExternalName' })
    const outcomes = (['custom', 'replace'] as const).map((mode) => {
      const selection = selectionOf(service, mode)
      return selection.kind === 'unmanaged' && leftoversOf(selection, policy)
    })
    expect(outcomes).toEqual([custom, replace])
  })

  it.each(['app in (', 'a b', '-x=1', 'app=web,,'])(
    'the annotation %j is invalid, with the reason',
    (text) => {
      expect(selectionOf(annotated(text), 'custom')).toEqual({
        kind: 'invalid',
        annotation: ANNOTATION_SELECTOR,
        problem: expect.stringMatching(/.+/),
      })
    },
  )

  it.each(['', '  '])('the empty annotation %j is invalid: it would select every pod', (text) => {
    expect(selectionOf(annotated(text), 'custom')).toMatchObject({ kind: 'invalid' })
  })
})

describe('other sources, in custom mode', () => {
  const withAnnotations = (annotations: Record<string, string>, spec: Service['spec'] = {}): Service => ({
    metadata: { name: 'cart', namespace: 'shop', annotations },
    spec,
  })

  it('are pods of the Service’s own namespace unless it says otherwise', () => {
    expect(selectionOf(withAnnotations({ 'sliceflow.dev/selector': 'app=web' }), 'custom')).toMatchObject({
      kind: 'managed',
      namespace: 'shop',
    })
  })

  it('are pods of another cluster, network and namespace', () => {
    const annotations = {
      'sliceflow.dev/selector': 'app=web',
      'sliceflow.dev/cluster': 'eu-2',
      'sliceflow.dev/namespace': 'backends',
      'sliceflow.dev/network': 'storage/fast',
    }
    expect(selectionOf(withAnnotations(annotations), 'custom')).toMatchObject({
      kind: 'managed',
      cluster: 'eu-2',
      namespace: 'backends',
      network: 'storage/fast',
    })
  })

  it('are addresses', () => {
    const service = withAnnotations({ 'sliceflow.dev/addresses': '10.0.0.5, fd00::5' })
    expect(selectionOf(service, 'custom')).toEqual({ kind: 'static', addresses: ['10.0.0.5', 'fd00::5'] })
  })

  it.each<[string, Record<string, string>]>([
    ['sliceflow.dev/addresses', { 'sliceflow.dev/addresses': '10.0.0.5,127.0.0.1' }],
    ['sliceflow.dev/addresses', { 'sliceflow.dev/addresses': '' }],
    ['sliceflow.dev/addresses', { 'sliceflow.dev/addresses': '10.0.0.5', 'sliceflow.dev/selector': 'a=b' }],
    ['sliceflow.dev/network', { 'sliceflow.dev/selector': 'a=b', 'sliceflow.dev/network': 'a/b/c' }],
    ['sliceflow.dev/cluster', { 'sliceflow.dev/selector': 'a=b', 'sliceflow.dev/cluster': '' }],
    ['sliceflow.dev/namespace', { 'sliceflow.dev/selector': 'a=b', 'sliceflow.dev/namespace': 'other' }],
    [
      'sliceflow.dev/namespace',
      {
        'sliceflow.dev/selector': 'a=b',
        'sliceflow.dev/cluster': 'eu-2',
        'sliceflow.dev/namespace': 'No Name',
      },
    ],
  ])('are invalid for the annotation %s of %j', (annotation, annotations) => {
    const problem = expect.stringMatching(/.+/)
    expect(selectionOf(withAnnotations(annotations), 'custom')).toEqual({
      kind: 'invalid',
      annotation,
      problem,
    })
  })

  it('are invalid for addresses when a port is named, which only pods can resolve', () => {
    const service = withAnnotations(
      { 'sliceflow.dev/addresses': '10.0.0.5' },
      { ports: [{ port: 80, targetPort: 'http' }] },
    )
    expect(selectionOf(service, 'custom')).toMatchObject({ kind: 'invalid' })
  })

  it('are of no matter in replace mode', () => {
    const service = withAnnotations({ 'sliceflow.dev/addresses': '10.0.0.5' })
    expect(selectionOf(service, 'replace')).toMatchObject({ kind: 'unmanaged', leftovers: 'keep' })
  })
})

describe('in replace mode', () => {
  it('a Service with a selector is managed by it', () => {
    expect(selectionOf({ spec: { selector: { app: 'web' } } }, 'replace')).toMatchObject({ kind: 'managed' })
  })

  it.each<[string, Service, string]>([
    ['without a selector', annotated('app=web'), 'NoSelector'],
    ['with an empty selector', { spec: { selector: {} } }, 'NoSelector'],
    ['of type ExternalName', { spec: { type: 'ExternalName', selector: { app: 'web' } } }, 'ExternalName'],
  ])('a Service %s is not managed, and its slices stay, as upstream', (_what, service, reason) => {
    expect(selectionOf(service, 'replace')).toEqual({ kind: 'unmanaged', leftovers: 'keep', reason })
  })
})

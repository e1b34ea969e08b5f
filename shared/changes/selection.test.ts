import { describe, expect, it } from 'vitest'
import type { Service } from '../endpointslice/index.ts'
import { matchesLabels } from '../kubernetes/index.ts'
import { ANNOTATION_SELECTOR, selectionOf } from './index.ts'

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

  it.each<[string, Service]>([
    ['without the annotation', { spec: {} }],
    ['with a selector of its own', annotated('app=web', { selector: { app: 'web' } })],
    ['of type ExternalName', annotated('app=web', { type: 'ExternalName' })],
  ])('a Service %s is not managed, and slices made before go', (_what, service) => {
    expect(selectionOf(service, 'custom')).toEqual({ kind: 'unmanaged', leftovers: 'delete' })
  })

  it.each(['app in (', 'a b', '-x=1', 'app=web,,'])(
    'the annotation %j is invalid, with the reason',
    (text) => {
      expect(selectionOf(annotated(text), 'custom')).toEqual({
        kind: 'invalid',
        problem: expect.stringMatching(/.+/),
      })
    },
  )

  it.each(['', '  '])('the empty annotation %j is invalid: it would select every pod', (text) => {
    expect(selectionOf(annotated(text), 'custom')).toMatchObject({ kind: 'invalid' })
  })
})

describe('in replace mode', () => {
  it('a Service with a selector is managed by it', () => {
    expect(selectionOf({ spec: { selector: { app: 'web' } } }, 'replace')).toMatchObject({ kind: 'managed' })
  })

  it.each<[string, Service]>([
    ['without a selector', annotated('app=web')],
    ['with an empty selector', { spec: { selector: {} } }],
    ['of type ExternalName', { spec: { type: 'ExternalName', selector: { app: 'web' } } }],
  ])('a Service %s is not managed, and its slices stay, as upstream', (_what, service) => {
    expect(selectionOf(service, 'replace')).toEqual({ kind: 'unmanaged', leftovers: 'keep' })
  })
})

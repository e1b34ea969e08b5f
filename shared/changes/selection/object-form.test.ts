import { describe, expect, it } from 'vitest'
import { NODES, PODS, SERVICES } from '../../kubernetes/index.ts'
import { formFault, objectKey } from './object-form.ts'

const METADATA = { name: 'web', namespace: 'shop', uid: 'uid-web' }
const RESOURCES = { Service: SERVICES, Pod: PODS, Node: NODES }
type Kind = keyof typeof RESOURCES
const faultOf = (kind: Kind, object: object) => formFault(RESOURCES[kind], object)
const NAMED = 'its name or namespace is not a DNS name'
const SELECTING = 'spec.selector is not a map of strings'

describe('the form of an object', () => {
  it.each<[string, Kind, object]>([
    ['a Service without a selector', 'Service', { metadata: METADATA, spec: {} }],
    ['a Service with a selector of null', 'Service', { metadata: METADATA, spec: { selector: null } }],
    ['a Service with a selector', 'Service', { metadata: METADATA, spec: { selector: { app: 'web' } } }],
    ['labels of null', 'Pod', { metadata: { ...METADATA, labels: null } }],
    ['labels', 'Pod', { metadata: { ...METADATA, labels: { app: 'web', tier: 'a' } } }],
    ['a Node without a namespace', 'Node', { metadata: { name: 'n1' } }],
    ['a Pod with what would be no selector', 'Pod', { metadata: METADATA, spec: { selector: 'app' } }],
    ['a Pod without a spec', 'Pod', { metadata: METADATA }],
  ])('is good where it is %s', (_what, kind, object) => {
    expect(faultOf(kind, object)).toBeUndefined()
  })

  it.each<[string, Kind, object, string]>([
    ['a Pod without a namespace', 'Pod', { metadata: { name: 'web' } }, NAMED],
    ['a name with a slash', 'Pod', { metadata: { ...METADATA, name: 'a/b' } }, NAMED],
    ['a namespace with a dot', 'Pod', { metadata: { ...METADATA, namespace: 'a.b' } }, NAMED],
    ['a Service without a spec', 'Service', { metadata: METADATA }, 'spec is missing'],
    ['a selector that is a text', 'Service', { metadata: METADATA, spec: { selector: 'app' } }, SELECTING],
    ['a selector that is a list', 'Service', { metadata: METADATA, spec: { selector: ['app'] } }, SELECTING],
    [
      'a selector with one number',
      'Service',
      { metadata: METADATA, spec: { selector: { app: 'web', tier: 1 } } },
      SELECTING,
    ],
  ])('is reported with its names where it is %s', (_what, kind, object, fault) => {
    const { name, namespace = '' }: { name: string; namespace?: string } = Object(object).metadata
    expect(faultOf(kind, object)).toEqual({ kind, name, namespace, fault })
  })

  it.each([['labels that are a list', ['web']] as const, ['a label that is no text', { app: 1 }] as const])(
    'is bad for %s',
    (_what, labels) => {
      expect(faultOf('Pod', { metadata: { ...METADATA, labels } })?.fault).toMatch(/labels/)
    },
  )

  it('is reported without names where these cannot be read or are longer than any', () => {
    const names = (object: object) => {
      const { name, namespace } = faultOf('Pod', object) ?? {}
      return [namespace, name]
    }
    expect(names({})).toEqual(['', ''])
    expect(names({ metadata: { name: 7, namespace: 'shop' } })).toEqual(['shop', ''])
    expect(names({ metadata: { name: '/'.repeat(253), namespace: 'shop' } })).toEqual([
      'shop',
      '/'.repeat(253),
    ])
    expect(names({ metadata: { name: '/'.repeat(254), namespace: 'shop' } })).toEqual(['shop', ''])
  })
})

describe('the key of an object', () => {
  it('is of its namespace and name, of a Node its name alone', () => {
    expect(objectKey(PODS, { metadata: METADATA })).toBe('shop/web')
    expect(objectKey(NODES, { metadata: { name: 'n1' } })).toBe('/n1')
    expect(objectKey(PODS, { metadata: { name: 'web' } })).toBeUndefined()
    expect(objectKey(NODES, { metadata: { name: 'N 1' } })).toBeUndefined()
  })
})

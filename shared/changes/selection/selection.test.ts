import { describe, expect, it } from 'vitest'
import type { Service } from '../../endpointslice/index.ts'
import { matchesLabels } from '../../kubernetes/index.ts'
import { type Mode, parseSettings, type SettingsInput } from '../../settings/index.ts'
import { ANNOTATION_SELECTOR, leftoversOf, permissionsOf, type Selection, selectionOf } from '../index.ts'

/** Returns what Sliceflow of cluster eu-1 would do. */
const select = (service: Service, mode: Mode, settings: SettingsInput = {}): Selection =>
  selectionOf(service, mode, permissionsOf('eu-1', parseSettings(settings)))

const annotated = (selector: string, spec: Service['spec'] = {}): Service => ({
  metadata: { name: 'cart', annotations: { [ANNOTATION_SELECTOR]: selector } },
  spec,
})

describe('in custom mode', () => {
  it('a Service with the annotation and without a selector is managed by it', () => {
    const selection = select(annotated('app=web,tier in (a,b)'), 'custom')
    if (selection.kind !== 'managed') throw new Error(selection.kind)
    expect(matchesLabels(selection.selector, { app: 'web', tier: 'b' })).toBe(true)
    expect(matchesLabels(selection.selector, { app: 'web', tier: 'c' })).toBe(false)
  })

  it.each<[string, Service, string]>([
    ['without the annotation', { spec: {} }, 'NotAnnotated'],
    ['with a selector of its own', annotated('app=web', { selector: { app: 'web' } }), 'HasSelector'],
    ['of type ExternalName', annotated('app=web', { type: 'ExternalName' }), 'ExternalName'],
  ])('a Service %s is not managed, and slices made before go', (_what, service, reason) => {
    expect(select(service, 'custom')).toEqual({ kind: 'unmanaged', leftovers: 'delete', reason })
  })

  it.each([
    ['auto', 'delete', 'keep'],
    ['keep', 'keep', 'keep'],
    ['delete', 'delete', 'delete'],
  ] as const)('with leftovers %s slices are to %s; in replace mode to %s', (policy, custom, replace) => {
    const service = annotated('app=web', { type: 'ExternalName' })
    const outcomes = (['custom', 'replace'] as const).map((mode) => {
      const selection = select(service, mode)
      return selection.kind === 'unmanaged' && leftoversOf(selection, policy)
    })
    expect(outcomes).toEqual([custom, replace])
  })

  it.each(['app in (', 'a b', '-x=1', 'app=web,,'])(
    'the annotation %j is invalid, with the reason',
    (text) => {
      expect(select(annotated(text), 'custom')).toEqual({
        kind: 'invalid',
        annotation: ANNOTATION_SELECTOR,
        problem: expect.stringMatching(/.+/),
      })
    },
  )

  it.each([
    ['sliceflow.dev/selecter', 'sliceflow.dev/selector'],
    ['sliceflow.dev/Selector', 'sliceflow.dev/selector'],
    ['sliceflow.dev/adresses', 'sliceflow.dev/addresses'],
    ['sliceflow.dev/netwrok', 'sliceflow.dev/network'],
    ['sliceflow.dev/realease', 'sliceflow.dev/release'],
  ])(
    'the misspelt annotation %s is invalid beside others or alone, with the one that was meant',
    (name, meant) => {
      for (const others of [undefined, { [ANNOTATION_SELECTOR]: 'app=web' }])
        expect(select({ metadata: { annotations: { ...others, [name]: 'x' } }, spec: {} }, 'custom')).toEqual(
          {
            kind: 'invalid',
            annotation: name,
            problem: `Sliceflow has no such annotation; did you mean ${meant}?`,
          },
        )
    },
  )

  it('annotations of others, and of Services that are not managed, may be called what they like', () => {
    const annotations = { 'sliceflow.dev/team': 'a', 'example.com/selecter': 'x', 'sliceflow.dev/sel': 'x' }
    expect(select({ metadata: { annotations }, spec: {} }, 'custom')).toMatchObject({
      reason: 'NotAnnotated',
    })
    const selecter = { metadata: { annotations: { 'sliceflow.dev/selecter': 'x' } } }
    const served = { ...selecter, spec: { selector: { app: 'web' } } }
    expect(select(served, 'custom')).toMatchObject({ reason: 'HasSelector' })
    expect(select(served, 'replace')).toMatchObject({ kind: 'managed' })
  })

  it('of any number of annotations few are compared', () => {
    const names = Array.from({ length: 5_000 }, (_, index) => [`sliceflow.dev/a${index}`, 'x'])
    const annotations = { ...Object.fromEntries(names), 'sliceflow.dev/selecter': 'x' }
    expect(select({ metadata: { annotations }, spec: {} }, 'custom')).toMatchObject({ kind: 'unmanaged' })
  })

  it.each(['', '  '])('the empty annotation %j is invalid: it would select every pod', (text) => {
    expect(select(annotated(text), 'custom')).toMatchObject({ kind: 'invalid' })
  })
})

const withAnnotations = (annotations: Record<string, string>, spec: Service['spec'] = {}): Service => ({
  metadata: { name: 'cart', namespace: 'shop', annotations },
  spec,
})

const TOO_MANY_CLUSTERS = Array.from({ length: 21 }, (_, index) => `c${index}`).join(',')

/** Everything that annotations can name. */
const ALLOWED = {
  allowedPods: '*/*=*/*',
  allowedNetworks: '*/*=0.0.0.0/0',
  allowedAddresses: '*/*=0.0.0.0/0,*/*=::/0',
}

describe('other sources, in custom mode', () => {
  it('are pods of another cluster, network and namespace', () => {
    const annotations = {
      'sliceflow.dev/selector': 'app=web',
      'sliceflow.dev/cluster': 'eu-2',
      'sliceflow.dev/namespace': 'backends',
      'sliceflow.dev/network': 'storage/fast',
    }
    expect(select(withAnnotations(annotations), 'custom', ALLOWED)).toMatchObject({
      kind: 'managed',
      clusters: ['eu-2'],
      namespace: 'backends',
      network: 'storage/fast',
    })
  })

  it('are pods of several clusters, each once, in the order in which they are named', () => {
    const clusters = 'us-1, eu-2,us-1 ,eu-1'
    const service = withAnnotations({
      'sliceflow.dev/selector': 'app=web',
      'sliceflow.dev/cluster': clusters,
    })
    expect(select(service, 'custom', ALLOWED)).toMatchObject({
      kind: 'managed',
      clusters: ['us-1', 'eu-2', 'eu-1'],
    })
  })

  it('are addresses', () => {
    const service = withAnnotations({ 'sliceflow.dev/addresses': '10.0.0.5, fd00::5' })
    expect(select(service, 'custom', ALLOWED)).toMatchObject({
      kind: 'sourced',
      source: { name: 'addresses' },
      asked: ['10.0.0.5', 'fd00::5'],
    })
  })

  it.each<[string, Record<string, string>]>([
    ['sliceflow.dev/addresses', { 'sliceflow.dev/addresses': '10.0.0.5,127.0.0.1' }],
    ['sliceflow.dev/addresses', { 'sliceflow.dev/addresses': '' }],
    ['sliceflow.dev/addresses', { 'sliceflow.dev/addresses': '10.0.0.5', 'sliceflow.dev/selector': 'a=b' }],
    ['sliceflow.dev/network', { 'sliceflow.dev/selector': 'a=b', 'sliceflow.dev/network': 'a/b/c' }],
    ['sliceflow.dev/cluster', { 'sliceflow.dev/selector': 'a=b', 'sliceflow.dev/cluster': '' }],
    ['sliceflow.dev/cluster', { 'sliceflow.dev/selector': 'a=b', 'sliceflow.dev/cluster': ' ' }],
    ['sliceflow.dev/cluster', { 'sliceflow.dev/selector': 'a=b', 'sliceflow.dev/cluster': 'eu-2,,us-1' }],
    ['sliceflow.dev/cluster', { 'sliceflow.dev/selector': 'a=b', 'sliceflow.dev/cluster': 'eu-2,' }],
    [
      'sliceflow.dev/cluster',
      { 'sliceflow.dev/selector': 'a=b', 'sliceflow.dev/cluster': TOO_MANY_CLUSTERS },
    ],
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
    expect(select(withAnnotations(annotations), 'custom', ALLOWED)).toEqual({
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
    expect(select(service, 'custom', ALLOWED)).toEqual({
      kind: 'invalid',
      annotation: 'sliceflow.dev/addresses',
      problem: expect.stringContaining('"http" is a name'),
    })
    const numbered = { ...service, spec: { ...service.spec, ports: [{ port: 80, targetPort: 8080 }] } }
    expect(select(numbered, 'custom', ALLOWED)).toMatchObject({ kind: 'sourced' })
  })

  it('are of no matter in replace mode', () => {
    const service = withAnnotations({ 'sliceflow.dev/addresses': '10.0.0.5' })
    expect(select(service, 'replace')).toMatchObject({ kind: 'unmanaged', leftovers: 'keep' })
  })
})

describe('what a Service may not name, in custom mode', () => {
  const refused = (annotation: string, problem: string) => ({
    kind: 'invalid',
    annotation: `sliceflow.dev/${annotation}`,
    isRefused: true,
    problem: expect.stringContaining(problem),
  })
  const pods = (of: Record<string, string>): Service =>
    withAnnotations({ 'sliceflow.dev/selector': 'app=web', ...of })
  const ofNamespace = (cluster: string, namespace: string): Service =>
    pods({ 'sliceflow.dev/cluster': cluster, 'sliceflow.dev/namespace': namespace })
  const onNetwork = pods({ 'sliceflow.dev/network': 'fast' })
  const addresses = (text: string): Service => withAnnotations({ 'sliceflow.dev/addresses': text })

  it.each<[string, Service, string, string]>([
    ['another namespace of its own cluster', ofNamespace('eu-1', 'kube-system'), 'cluster', 'allowedPods'],
    [
      'another cluster',
      pods({ 'sliceflow.dev/cluster': 'eu-2' }),
      'cluster',
      'namespace shop of cluster eu-2',
    ],
    ['a secondary network', onNetwork, 'network', 'allowedNetworks'],
    ['an address', addresses('10.0.0.5'), 'addresses', 'allowedAddresses'],
  ])('is %s, unless a setting allows it', (_what, service, annotation, problem) => {
    expect(select(service, 'custom')).toEqual(refused(annotation, problem))
    expect(select(service, 'custom', ALLOWED).kind).not.toBe('invalid')
  })

  it('is not its own namespace, by whatever name of its cluster', () => {
    const own = { kind: 'managed', clusters: ['eu-1'], namespace: 'shop' }
    expect(select(pods({ 'sliceflow.dev/cluster': 'eu-1' }), 'custom')).toMatchObject(own)
    expect(select(ofNamespace('eu-1', 'shop'), 'custom')).toMatchObject(own)
  })

  it('is one of several clusters, and then none of them is taken', () => {
    const of = pods({ 'sliceflow.dev/cluster': 'eu-1,eu-2,us-1' })
    const settings = { allowedPods: '*/shop=eu-2/shop' }
    expect(select(of, 'custom', settings)).toEqual(refused('cluster', 'namespace shop of cluster us-1'))
    expect(select(of, 'custom', { allowedPods: '*/shop=eu-2/shop,*/shop=us-1/.' }).kind).toBe('managed')
  })

  it('is what no grant allows to its namespace', () => {
    const settings = { allowedPods: 'eu-1/shop=eu-2/stock, */web=*/*' }
    expect(select(ofNamespace('eu-2', 'stock'), 'custom', settings).kind).toBe('managed')
    expect(select(ofNamespace('eu-2', 'web'), 'custom', settings)).toEqual(
      refused('cluster', 'namespace web'),
    )
    expect(select(ofNamespace('eu-1', 'stock'), 'custom', settings)).toEqual(
      refused('cluster', 'cluster eu-1'),
    )
  })

  it.each(['10.30.0.1', '10.20.0.1,10.30.0.1', 'fd00::5', '64:ff9b::a14:1', '10.20.0.1,::ffff:10.30.0.1'])(
    'is %s with the range 10.20.0.0/16, and none of the Service’s other addresses is taken',
    (text) => {
      const settings = { allowedAddresses: '*/shop=10.20.0.0/16' }
      expect(select(addresses(text), 'custom', settings)).toEqual(refused('addresses', 'may not name'))
      expect(select(addresses('10.20.0.1, ::ffff:10.20.0.2'), 'custom', settings).kind).toBe('sourced')
    },
  )

  it('is an address of a network outside of the ranges that its namespace may publish', () => {
    const settings = { allowedNetworks: '*/web=10.0.0.0/8, */shop=192.168.0.0/16' }
    expect(select(onNetwork, 'custom', settings)).toMatchObject({ networkRanges: ['192.168.0.0/16'] })
  })
})

describe('an annotation that is too large', () => {
  const selector = (text: string): Service => withAnnotations({ 'sliceflow.dev/selector': text })
  const values = (count: number): string => `app in (${Array.from({ length: count }, (_, i) => `v${i}`)})`

  it.each<[string, string, number]>([
    ['sliceflow.dev/selector', 'a', 4096],
    ['sliceflow.dev/cluster', 'c', 512],
    ['sliceflow.dev/namespace', 'n', 63],
    ['sliceflow.dev/network', 'n', 317],
    ['sliceflow.dev/network', '😀', 317],
    ['sliceflow.dev/addresses', ' ', 16_384],
  ])('is refused by its length before it is read: %s', (annotation, letter, longest) => {
    const of = (length: number): Selection => {
      const annotations = { 'sliceflow.dev/selector': 'a=b', [annotation]: letter.repeat(length) }
      return select(withAnnotations(annotations), 'custom', ALLOWED)
    }
    const problem = `it has ${longest + 1} characters, and may have ${longest}`
    expect(of(longest + 1)).toEqual({ kind: 'invalid', annotation, problem })
    expect(of(longest)).not.toMatchObject({ problem: expect.stringContaining('characters, and may') })
  })

  it.each([
    ['requirements', (count: number) => Array.from({ length: count }, (_, i) => `!l${i}`).join(',')],
    ['values', values],
    ['both', (count: number) => `${values(count - 1)},!x`],
  ])('is refused with more than 100 %s', (_what, of) => {
    expect(select(selector(of(100)), 'custom').kind).toBe('managed')
    expect(select(selector(of(101)), 'custom')).toEqual({
      kind: 'invalid',
      annotation: ANNOTATION_SELECTOR,
      problem: 'it has 101 requirements and values, and may have 100',
    })
  })

  it('is quoted in part only', () => {
    const selection = select(selector(`-${'x'.repeat(4000)}`), 'custom')
    if (selection.kind !== 'invalid') throw new Error(selection.kind)
    expect(selection.problem).toHaveLength(300)
  })
})

describe('in replace mode', () => {
  it('a Service with a selector is managed by it', () => {
    expect(select({ spec: { selector: { app: 'web' } } }, 'replace')).toMatchObject({ kind: 'managed' })
  })

  it.each<[string, Service, string]>([
    ['without a selector', annotated('app=web'), 'NoSelector'],
    ['with an empty selector', { spec: { selector: {} } }, 'NoSelector'],
    ['of type ExternalName', { spec: { type: 'ExternalName', selector: { app: 'web' } } }, 'ExternalName'],
  ])('a Service %s is not managed, and its slices stay, as upstream', (_what, service, reason) => {
    expect(select(service, 'replace')).toEqual({ kind: 'unmanaged', leftovers: 'keep', reason })
  })
})

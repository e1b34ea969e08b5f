import { describe, expect, it } from 'vitest'
import type { Service } from '../../endpointslice/index.ts'
import { parseSettings } from '../../settings/index.ts'
import {
  ANNOTATION_MAXIMUM_REMOVAL,
  ANNOTATION_PACKING,
  ANNOTATION_PAUSED,
  ANNOTATION_RELEASE,
  createClusterIndex,
  ignoredAnnotations,
  ignoredReason,
  pauseOf,
  permissionsOf,
  selectionOf,
  withControls,
} from '../index.ts'
import { serviceDigest } from '../tables/digests.ts'

const SETTINGS = parseSettings({ mode: 'replace', maximumRemoval: 0.8 })
const { maximumRemovalCount } = SETTINGS
const PERMISSIONS = permissionsOf('a', SETTINGS)

const service = (annotations: Record<string, string>, metadata: Service['metadata'] = {}): Service => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'u', annotations, ...metadata },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.96.0.7',
    ipFamilies: ['IPv4'],
    selector: { app: 'web' },
    ports: [],
  },
})
const paused = (value: string, more: Service['metadata'] = {}): Service =>
  service({ [ANNOTATION_PAUSED]: value }, more)
const kindOf = (of: Service, mode: 'replace' | 'custom' = 'replace') =>
  selectionOf(of, mode, PERMISSIONS).kind

describe('the annotation sliceflow.dev/paused', () => {
  it.each(['true', '2026-03-01T12:00:00Z', '2026-03-01T12:00:00.123+02:00', '2999-01-01T00:00:00Z'])(
    'pauses a Service with %j',
    (value) => {
      expect(kindOf(paused(value))).toBe('paused')
    },
  )

  it('does nothing with false', () => {
    expect(kindOf(paused('false'))).toBe('managed')
    expect(selectionOf(paused('false'), 'replace', PERMISSIONS)).toEqual(
      selectionOf(service({}), 'replace', PERMISSIONS),
    )
  })

  it.each(['', 'yes', 'True', 'true ', '2026-03-01', '2026-13-01T12:00:00Z', 'x'.repeat(9999)])(
    'keeps the slices with %j, which may well be meant to pause, and says what to type',
    (value) => {
      expect(selectionOf(paused(value), 'replace', PERMISSIONS)).toEqual({
        kind: 'invalid',
        annotation: ANNOTATION_PAUSED,
        problem: 'it is neither true nor false nor a time such as 2026-03-01T12:00:00Z',
      })
    },
  )

  it('keeps the slices where it is misspelt, in both modes', () => {
    const misspelt = { 'sliceflow.dev/pausd': 'true' }
    const problem = `Sliceflow has no such annotation; did you mean ${ANNOTATION_PAUSED}?`
    expect(selectionOf(service(misspelt), 'replace', PERMISSIONS)).toMatchObject({ kind: 'invalid', problem })
    const custom = { ...service({ ...misspelt, 'sliceflow.dev/selector': 'app=web' }), spec: {} }
    expect(selectionOf(custom, 'custom', PERMISSIONS)).toMatchObject({ kind: 'invalid', problem })
  })

  it('says since when in whole seconds of UTC, by its own time before managedFields', () => {
    const managedFields = [written('kubectl', '2026-03-02T00:00:00Z', ANNOTATION_PAUSED)]
    const more: Service['metadata'] = Object({ managedFields })
    expect(pauseOf(paused('2026-03-01T12:00:00.5+02:00', more))).toEqual({
      kind: 'paused',
      since: '2026-03-01T10:00:00Z',
    })
    expect(pauseOf(paused('true', more))).toEqual({ kind: 'paused', since: '2026-03-02T00:00:00Z' })
  })

  it('says since when by the first that wrote the annotation, and by nobody who did not', () => {
    const managedFields = [
      written('helm', '2026-01-01T00:00:00Z', 'example.dev/other'),
      written('argocd', '2026-03-03T00:00:00Z', ANNOTATION_PAUSED),
      written('kubectl', '2026-03-02T00:00:00Z', ANNOTATION_PAUSED),
      { manager: 'odd', time: 7, fieldsV1: null },
      null,
    ]
    const more: Service['metadata'] = Object({ managedFields })
    expect(pauseOf(paused('true', more))).toEqual({ kind: 'paused', since: '2026-03-02T00:00:00Z' })
    expect(pauseOf(paused('true'))).toEqual({ kind: 'paused' })
    expect(pauseOf(paused('2026-02-31T99:00:00Z'))).toMatchObject({ kind: 'malformed' })
  })
})

const written = (manager: string, time: string, annotation: string) => ({
  manager,
  time,
  fieldsV1: { 'f:metadata': { 'f:annotations': { '.': {}, [`f:${annotation}`]: {} } } },
})

describe('the annotation sliceflow.dev/maximum-removal', () => {
  const limits = (value: string) => {
    const { maximumRemoval, ...more } = withControls(
      service({ [ANNOTATION_MAXIMUM_REMOVAL]: value }),
      SETTINGS,
    )
    return [maximumRemoval, more.maximumRemovalCount]
  }

  it.each([
    ['50%', 0.5],
    ['0%', 0],
    ['100%', 1],
    ['12.5%', 0.125],
    ['0.5', 0.5],
    ['1.0', 1],
    ['0.0', 0],
  ])('%s is a share, beside the count of the settings', (value, share) => {
    expect(limits(value)).toEqual([share, maximumRemovalCount])
  })

  it.each(['0', '1', '3', '100000'])('%s is a count, as whole numbers of maxUnavailable are', (value) => {
    expect(limits(value)).toEqual([0, Number(value)])
  })

  it.each(['', '101%', '-1', '1.5', '100001', '50 %', 'half', '٣', '1e3', '.5', '01'])(
    '%j does not count, and is reported',
    (value) => {
      expect(limits(value)).toEqual([0.8, maximumRemovalCount])
      expect(ignoredAnnotations(service({ [ANNOTATION_MAXIMUM_REMOVAL]: value })).map(ignoredReason)).toEqual(
        [
          'the annotation sliceflow.dev/maximum-removal cannot be used: it is neither a share such as 50% or 0.5 nor a count of endpoints from 0 to 100000; the setting maximumRemoval holds until it is fixed',
        ],
      )
    },
  )
})

describe('the annotation sliceflow.dev/packing', () => {
  it.each(['upstream', 'compact'] as const)('%s stands in the place of the setting', (packing) => {
    expect(withControls(service({ [ANNOTATION_PACKING]: packing }), SETTINGS)).toEqual({
      ...SETTINGS,
      packing,
    })
  })

  it.each(['', 'Compact', 'tight', 'constructor'])('%j does not count, and is reported', (value) => {
    const of = service({ [ANNOTATION_PACKING]: value })
    expect(withControls(of, SETTINGS)).toBe(SETTINGS)
    expect(ignoredAnnotations(of).map(ignoredReason)).toEqual([
      'the annotation sliceflow.dev/packing cannot be used: it is neither upstream nor compact; the setting packing holds until it is fixed',
    ])
  })
})

describe('annotations that replace settings', () => {
  it('do not count where they are misspelt, which is reported, and keep no slice from being written', () => {
    const of = service({ 'sliceflow.dev/maximun-removal': '5' })
    expect(kindOf(of)).toBe('managed')
    expect(ignoredAnnotations(of).map(ignoredReason)).toEqual([
      'the annotation sliceflow.dev/maximun-removal cannot be used: Sliceflow has no such annotation; did you mean sliceflow.dev/maximum-removal?; the setting maximumRemoval holds until it is fixed',
    ])
    const custom = {
      ...service({ 'sliceflow.dev/selector': 'app=web', 'sliceflow.dev/pakcing': 'x' }),
      spec: {},
    }
    expect(kindOf(custom, 'custom')).toBe('managed')
  })

  it('are no text where a server sends something else', () => {
    const of = service(Object({ [ANNOTATION_PACKING]: 7, [ANNOTATION_PAUSED]: { a: 1 } }))
    expect(withControls(of, SETTINGS)).toBe(SETTINGS)
    expect(kindOf(of)).toBe('managed')
    expect(ignoredAnnotations(of)).toEqual([])
  })

  it('say that a release is no time', () => {
    expect(ignoredAnnotations(service({ [ANNOTATION_RELEASE]: 'now' })).map(ignoredReason)).toEqual([
      'the annotation sliceflow.dev/release cannot be used: it is no time such as 2026-03-01T12:00:00Z: sliceflow release writes that of the plan that is held; it releases no plan',
    ])
  })
})

describe('the relay', () => {
  it.each([ANNOTATION_PAUSED, ANNOTATION_MAXIMUM_REMOVAL, ANNOTATION_PACKING])(
    'sends the key when %s alone comes, changes or goes',
    (annotation) => {
      const index = createClusterIndex('a', 'replace')
      const put = (annotations: Record<string, string>) => index.services.put(service(annotations))
      put({})
      for (const annotations of [{ [annotation]: 'true' }, { [annotation]: 'compact' }, {}]) {
        expect(put(annotations)).toHaveLength(1)
        expect(put(annotations)).toHaveLength(0)
      }
    },
  )

  it('has the digests of its checkpoints for Services without them', () => {
    const digest = serviceDigest(service({}))
    expect(serviceDigest(service({ 'example.dev/paused': 'true' }))).toBe(digest)
    expect(serviceDigest(paused('true'))).not.toBe(digest)
  })

  it('finds nothing wrong with a paused Service, sends no key of its Pods, and counts it', () => {
    const index = createClusterIndex('a', 'replace')
    const [key, settings] = [
      { cluster: 'a', namespace: 'shop', service: 'web' },
      { managedBy: 'sliceflow.dev', leftovers: 'auto' } as const,
    ]
    const pod = (number: number) => ({
      metadata: { name: `web-${number}`, namespace: 'shop', labels: { app: 'web' } },
      spec: { containers: [], nodeName: 'n1' },
      status: { podIPs: [{ ip: `10.0.0.${number}` }] },
    })
    index.services.put(service({}))
    expect(index.pods.put(pod(1))).toHaveLength(1)
    expect(index.state(key, settings)).toBe('wrong')
    index.services.put(paused('2026-03-01T12:00:00Z'))
    expect(index.state(key, settings)).toBe('right')
    expect(index.pods.put(pod(2))).toEqual([])
    expect(index.paused()).toEqual(['2026-03-01T12:00:00Z'])
    expect(index.keys()).toHaveLength(1)
    index.services.put(service({}))
    expect(index.state(key, settings)).toBe('wrong')
    expect(index.pods.put(pod(3))).toHaveLength(1)
    expect(index.paused()).toEqual([])
    index.services.put(paused('true'))
    expect(index.paused()).toEqual([undefined])
    index.services.remove(paused('true'))
    expect(index.paused()).toEqual([])
  })
})

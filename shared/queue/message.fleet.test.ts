import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ClusterVersions, countVersions, FLEET_VERSIONS, type FleetVersions } from '../changes/index.ts'
import { mergeMessages } from './merge-messages.ts'
import { encodeMessage, type KeyMessage, parseMessage, sendFault } from './message.ts'

const key: KeyMessage = { cluster: 'clusterset:default', namespace: 'shop', service: 'cart' }
const body = (fleetVersions: unknown): string => JSON.stringify({ v: 1, ...key, fleetVersions })

const version = fc.bigInt({ min: 0n, max: 2n ** 63n }).map(String)
/** Names that objects have in JavaScript as well are names like any other. */
const name = fc.oneof(
  fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/),
  fc.constantFrom('constructor', 'valueof', 'then'),
)
const byName = fc.dictionary(name, version, { maxKeys: 9, noNullPrototype: true })
const clusterVersions = fc.record(
  { export: version, service: version, slices: byName, import: version, derived: version, imported: byName },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<ClusterVersions>
const fleetVersions: fc.Arbitrary<FleetVersions> = fc.dictionary(
  fc.constantFrom('eu-1', 'arn:aws:eks:eu-west-1:123456789012:cluster/prod', 'Küche 3', 'constructor'),
  clusterVersions,
  { noNullPrototype: true },
)

const slices = (count: number): ClusterVersions => ({
  slices: Object.fromEntries(Array.from({ length: count }, (_, at) => [`web-${at}`, '1'])),
})

describe('the versions of a cluster set in a message', () => {
  it('are read back as they were sent', () => {
    fc.assert(
      fc.property(fleetVersions, (versions) => {
        const message = { ...key, fleetVersions: versions }
        expect(sendFault(message)).toBeUndefined()
        // What Vitest compares with takes a cluster named constructor for another class.
        expect(isDeepStrictEqual(parseMessage(encodeMessage(message)), message)).toBe(true)
      }),
    )
  })

  it.each<[string, unknown]>([
    ['no object', 'eu'],
    ['null', null],
    ['a list', [{}]],
    ['null for a cluster', { eu: {}, us: null }],
    ['of a cluster without a name', { '': {} }],
    ['of a cluster with a name of 513 characters', { ['c'.repeat(513)]: {} }],
    ['a number as a version', { eu: { export: 7 } }],
    ['an empty version', { eu: { import: '' } }],
    ['a version of 65 characters', { eu: { derived: '9'.repeat(65) } }],
    ['a version with a space', { eu: { service: '1 2' } }],
    ['slices that are a list', { eu: { slices: ['web-1'] } }],
    ['a slice whose name would lead elsewhere', { eu: { slices: { '../web-1': '1' } } }],
    ['one slice of several without a version', { eu: { imported: { 'web-1': '1', 'web-2': null } } }],
  ])('are passed over as a whole when they are %s: the key is read all the same', (_, versions) => {
    expect(parseMessage(body(versions))).toStrictEqual(key)
  })

  it('are never more than a message may carry', () => {
    const most = FLEET_VERSIONS - countVersions({ eu: {} })
    expect(parseMessage(body({ eu: slices(most) }))).toHaveProperty('fleetVersions.eu.slices.web-0', '1')
    expect(parseMessage(body({ eu: slices(most + 1) }))).toStrictEqual(key)
    expect(parseMessage(body({ eu: slices(most - 4), us: {} }))).toHaveProperty('fleetVersions')
    expect(parseMessage(body({ eu: slices(most - 3), us: {} }))).toStrictEqual(key)
  })

  it('leave room for ten such messages in a request, whatever the objects are called', () => {
    const versionText = '9'.repeat(64)
    const long = (at: number): string =>
      [`${at}`.padStart(63, 's'), 'x'.repeat(63), 'y'.repeat(63), 'z'.repeat(61)].join('.')
    const most = FLEET_VERSIONS - countVersions({ eu: {} })
    const named = Object.fromEntries(Array.from({ length: most }, (_, at) => [long(at), versionText]))
    const message = { ...key, fleetVersions: { ['c'.repeat(512)]: { slices: named } } }
    const text = encodeMessage(message)
    expect(parseMessage(text)).toStrictEqual(message)
    expect(10 * Buffer.byteLength(text)).toBeLessThan(1024 ** 2)
  })

  it('count what there may be one of in each cluster, and slices one by one', () => {
    expect(countVersions({})).toBe(0)
    expect(countVersions({ eu: { export: '1' }, us: {} })).toBe(8)
    expect(countVersions({ eu: { ...slices(3), imported: { a: '1', b: '2' } } })).toBe(9)
  })

  it('may say of kinds that are yet to come', () => {
    expect(parseMessage(body({ eu: { export: '1', policy: { any: 'thing' } } }))).toStrictEqual({
      ...key,
      fleetVersions: { eu: { export: '1' } },
    })
  })

  it('come with a digest of the members, which is passed over where it is none, and matches none where two differ', () => {
    const reported = { ...key, membersDigest: 'a1b2' }
    expect(parseMessage(encodeMessage(reported))).toStrictEqual(reported)
    expect(parseMessage(JSON.stringify({ v: 1, ...key, membersDigest: ['a1b2'] }))).toStrictEqual(key)
    expect(mergeMessages(reported, reported)).toEqual(reported)
    expect([mergeMessages(reported, key), mergeMessages(key, reported)]).toEqual([reported, reported])
    const { membersDigest } = mergeMessages(reported, { ...key, membersDigest: 'c3d4' })
    expect(membersDigest).toBeDefined()
    expect(['a1b2', 'c3d4']).not.toContain(membersDigest)
  })

  it('are kept in a merge only where both have the same ones', () => {
    const known = { ...key, fleetVersions: { eu: { export: '1', ...slices(2) }, us: {} } }
    expect(mergeMessages(known, structuredClone(known))).toEqual(known)
    const others: KeyMessage[] = [
      key,
      { ...key, fleetVersions: { ...known.fleetVersions, us: { export: '2' } } },
      { ...key, fleetVersions: { eu: known.fleetVersions.eu } },
      { ...key, fleetVersions: { ...known.fleetVersions, eu: { export: '1', ...slices(3) } } },
    ]
    for (const other of others) {
      expect(mergeMessages(known, other)).toEqual(key)
      expect(mergeMessages(other, known)).toEqual(key)
    }
  })
})

describe('versions of different histories', () => {
  const key = { cluster: 'blue', namespace: 'shop', service: 'web' }
  const versions = { resourceVersion: '90', nodesVersion: '80', serviceVersion: '70' }

  it('travel with the id of their history', () => {
    const message = { ...key, ...versions, history: 'first' }
    expect(parseMessage(encodeMessage(message))).toEqual(message)
  })

  it('have no order: a message that stands for both names none', () => {
    const before = { ...key, ...versions, history: 'first' }
    expect(mergeMessages(before, before)).toEqual(before)
    expect(mergeMessages(before, { ...before, resourceVersion: '9', history: 'restored' })).toEqual(key)
    expect(mergeMessages(before, key)).toEqual(key)
  })
})

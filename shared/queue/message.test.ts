import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MalformedMessageError } from './errors.ts'
import { encodeMessage, type KeyMessage, parseMessage, sendFault } from './message.ts'

const valid = { v: 1, cluster: 'prod', namespace: 'shop', service: 'cart' }
const withField = (field: string, value: unknown): string => JSON.stringify({ ...valid, [field]: value })
const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/)
const version = fc.bigInt({ min: 0n, max: 2n ** 63n }).map(String)
const namesOf = (maxLength: number) => fc.uniqueArray(label, { minLength: 1, maxLength })
const hints = fc.oneof(
  fc.record(
    { pods: namesOf(20), slices: namesOf(8), selected: fc.nat() },
    { requiredKeys: ['pods', 'slices'] },
  ),
  namesOf(8).chain((slices) =>
    fc.record({
      pods: namesOf(20),
      slices: fc.constant(slices),
      sliceVersions: fc.array(version, { minLength: slices.length, maxLength: slices.length }),
    }),
  ),
)
const podFacts = fc.record(
  {
    endpoint: fc.tuple(
      fc.option(label),
      fc.oneof(label, fc.array(label, { maxLength: 3 })),
      label,
      fc.constantFrom(0 as const, 1 as const),
      fc.constantFrom(0 as const, 1 as const),
      label,
      label,
      label,
    ),
    ports: fc.array(fc.record({ name: label, containerPort: fc.integer({ min: 1, max: 65_535 }) })),
    zone: label,
    isSelected: fc.constant(false as const),
  },
  { requiredKeys: ['endpoint', 'ports'] },
)
const informed = namesOf(8).chain((pods) =>
  fc.record({
    pods: fc.constant(pods),
    slices: namesOf(8),
    nodes: namesOf(8),
    facts: fc.record({
      at: fc.nat(),
      selector: fc.string({ maxLength: 60 }),
      pods: fc.array(fc.option(podFacts), { minLength: pods.length, maxLength: pods.length }),
    }),
  }),
)
const messages: fc.Arbitrary<KeyMessage> = fc.record(
  {
    cluster: fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      .filter((name) => name.length <= 512 && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)),
    namespace: label,
    service: label,
    triggerTime: fc
      .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((d) => d.toISOString()),
    resourceVersion: version,
    hint: fc.oneof(hints, informed),
    podsVersion: version,
    nodesVersion: version,
    serviceVersion: version,
    relayVerifies: fc.constant(true as const),
    audit: fc.constant(true as const),
    writer: version,
    ownerKind: fc.constant('EndpointSelector' as const),
  },
  { requiredKeys: ['cluster', 'namespace', 'service'] },
)

describe('encodeMessage', () => {
  it('gives the documented body', () => {
    const message = {
      cluster: 'prod',
      namespace: 'shop',
      service: 'cart',
      triggerTime: '2026-11-21T10:00:00Z',
    }
    expect(encodeMessage({ ...message, resourceVersion: '42' })).toBe(
      '{"v":1,"cluster":"prod","namespace":"shop","service":"cart","triggerTime":"2026-11-21T10:00:00Z","resourceVersion":"42"}',
    )
  })

  it('gives another kind of owner a version of its own, which readers of Services alone refuse', () => {
    const message = { cluster: 'prod', namespace: 'shop', service: 'cart', ownerKind: 'EndpointSelector' }
    const body = encodeMessage(message as KeyMessage)
    expect(JSON.parse(body)).toEqual({ v: 2, ...message })
    expect(parseMessage(body)).toEqual(message)
  })
})

describe('parseMessage', () => {
  it('reads back every message that was encoded', () => {
    fc.assert(
      fc.property(messages, (message) => {
        expect(sendFault(message)).toBeUndefined()
        expect(parseMessage(encodeMessage(message))).toEqual(message)
      }),
    )
  })

  it('gives no member that the body does not have', () => {
    const key: KeyMessage = { cluster: 'prod', namespace: 'shop', service: 'cart' }
    const hint = { pods: ['web-1'], slices: ['web-a'] }
    for (const message of [key, { ...key, hint }])
      expect(parseMessage(encodeMessage(message))).toStrictEqual(message)
  })

  it('returns a message or throws a MalformedMessageError whatever the body is', () => {
    const bodies = fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({ v: fc.constant(1), cluster: fc.anything() }).map((o) => JSON.stringify(o)),
    )
    fc.assert(
      fc.property(bodies, (body) => {
        try {
          parseMessage(body)
        } catch (err) {
          expect(err).toBeInstanceOf(MalformedMessageError)
        }
      }),
    )
  })

  it.each([
    ['an EKS ARN as the cluster', 'cluster', 'arn:aws:eks:eu-west-1:123456789012:cluster/prod-1'],
    ['a cluster of 512 characters', 'cluster', 'c'.repeat(512)],
    ['a cluster with spaces and umlauts', 'cluster', 'Küche 3'],
    ['a namespace of 63 characters', 'namespace', 'n'.repeat(63)],
    ['a service that begins with a digit', 'service', '1st'],
    ['a service of 253 characters', 'service', [63, 63, 63, 61].map((n) => 's'.repeat(n)).join('.')],
    ['a time with microseconds', 'triggerTime', '2026-11-21T10:00:00.123456Z'],
    ['a time with an offset', 'triggerTime', '2026-11-21T10:00:00+05:30'],
    ['an opaque resourceVersion', 'resourceVersion', 'Zx9_-=.'],
    ['a resourceVersion of 64 characters', 'resourceVersion', '9'.repeat(64)],
  ])('accepts %s', (_what, field, value) => {
    expect(parseMessage(withField(field, value))).toHaveProperty(field, value)
  })

  it.each([
    ['another version', 'v', 3, /v must be 1 or 2/],
    ['a version that is text', 'v', '1', /v must be 1 or 2/],
    ['the version of another kind without it', 'v', 2, /ownerKind must be there in version 2/],
    ['a kind in the version of Services', 'ownerKind', 'EndpointSelector', /only there/],
    ['an unknown kind', 'ownerKind', 'Gateway', /ownerKind must be a kind of owners of slices/],
    ['an empty cluster', 'cluster', '', /cluster must not be empty/],
    ['a cluster of 513 characters', 'cluster', 'c'.repeat(513), /cluster must have at most 512/],
    ['a cluster with a line break', 'cluster', 'a\nb', /cluster must be printable/],
    ['a cluster with a bidirectional override', 'cluster', 'a\u202eb', /cluster must be printable/],
    ['a namespace of 64 characters', 'namespace', 'n'.repeat(64), /namespace must be an RFC 1123 label/],
    ['a namespace with a slash', 'namespace', '../shop', /namespace must be an RFC 1123 label/],
    ['a namespace with a dot', 'namespace', 'a.b', /namespace must be an RFC 1123 label/],
    ['an upper-case service', 'service', 'Cart', /service must be a DNS name/],
    ['a service with an empty label', 'service', 'a..b', /service must be a DNS name/],
    [
      'a service of 254 characters',
      'service',
      [63, 63, 63, 62].map((n) => 's'.repeat(n)).join('.'),
      /service must be/,
    ],
    ['a service with a line break at its end', 'service', 'cart\n', /service must be a DNS name/],
    ['a missing service', 'service', undefined, /service must be text/],
    ['a time without a zone', 'triggerTime', '2026-11-21T10:00:00', /triggerTime must be an RFC 3339 time/],
    ['the 30th of February', 'triggerTime', '2026-02-30T10:00:00Z', /triggerTime must be an RFC 3339 time/],
    ['a null time', 'triggerTime', null, /triggerTime must be an RFC 3339 time/],
    ['a number as the resourceVersion', 'resourceVersion', 42, /resourceVersion must be text/],
    [
      'a resourceVersion of 65 characters',
      'resourceVersion',
      '9'.repeat(65),
      /resourceVersion must be a token/,
    ],
  ])('refuses %s', (_what, field, value, message) => {
    expect(() => parseMessage(withField(field, value))).toThrow(message)
  })

  it.each(['', 'null', '[]', '"text"', '42', '{'])('refuses the body %j', (body) => {
    expect(() => parseMessage(body)).toThrow(MalformedMessageError)
  })

  it('names every field that is wrong', () => {
    expect(() => parseMessage('{"v":1}')).toThrow(/cluster.*namespace.*service/)
  })

  it('ignores fields that it does not know', () => {
    expect(parseMessage(withField('sentBy', 'relay-2'))).toEqual({
      cluster: 'prod',
      namespace: 'shop',
      service: 'cart',
    })
  })

  it('does not take over a prototype from the body', () => {
    const message = parseMessage(
      '{"__proto__":{"admin":true},"v":1,"cluster":"c","namespace":"n","service":"s"}',
    )
    expect(message).not.toHaveProperty('admin')
  })

  it('never quotes the body in the error', () => {
    const secret = 'hunter2'
    for (const body of [
      secret,
      withField('v', secret),
      withField('triggerTime', secret),
      `{"${secret}":1}`,
      `{"v": ${secret}}`,
    ]) {
      let thrown: unknown
      try {
        parseMessage(body)
      } catch (err) {
        thrown = err
      }
      expect(thrown).toMatchObject({ name: 'MalformedMessageError', retryable: false })
      expect(thrown).not.toHaveProperty('cause')
      expect(String(thrown)).not.toContain(secret)
    }
  })

  it('keeps the error short for a body of a megabyte', () => {
    expect(() => parseMessage(withField('service', 'S'.repeat(1_000_000)))).toThrow(/^.{1,200}$/)
  })
})

describe('the hint of a message', () => {
  const hint = { pods: ['web-1'], slices: ['web-a'] }
  const hinted: KeyMessage = { cluster: 'prod', namespace: 'shop', service: 'cart', hint }

  it('has a version of its own beside the key', () => {
    expect(JSON.parse(encodeMessage(hinted))).toMatchObject({ v: 1, hint: { v: 1, ...hint } })
  })

  it.each([
    ['of a version to come', { ...hint, v: 2 }],
    ['without pods', { ...hint, v: 1, pods: [] }],
    ['with too many pods', { ...hint, v: 1, pods: Array.from({ length: 65 }, (_, i) => `p${i}`) }],
    ['with too many slices', { ...hint, v: 1, slices: Array.from({ length: 13 }, (_, i) => `s${i}`) }],
    ['with a name that would lead elsewhere', { ...hint, v: 1, slices: ['../pods/web-1'] }],
    ['without slices', { v: 1, pods: ['a'] }],
    ['that is no object', 'web-1'],
  ])('is passed over when it is one %s: the key is read all the same', (_, value) => {
    expect(parseMessage(withField('hint', value))).toEqual({
      cluster: 'prod',
      namespace: 'shop',
      service: 'cart',
    })
  })
})

describe('what a message says of Pods', () => {
  const endpoint = ['u', ['10.0.0.1'], 'n1', 1, 0, '', '', '']
  const facts = { at: 1, selector: 'app=web', pods: [{ endpoint, ports: [] }] }
  const hint = { pods: ['web-1'], slices: ['web-a'] }
  const read = (value: unknown) => parseMessage(withField('hint', { v: 1, ...hint, facts: value })).hint
  const withEndpoint = (at: number, value: unknown) => ({
    ...facts,
    pods: [{ endpoint: endpoint.with(at, value as string), ports: [] }],
  })

  it('is read with the hint', () => {
    expect(read(facts)).toEqual({ ...hint, facts })
    expect(read({ ...facts, pods: [null] })).toEqual({ ...hint, facts: { ...facts, pods: [null] } })
  })

  it('is read with what a full sync may read at once, of as many Pods as are named', () => {
    const { selector, ...others } = facts
    const ahead = { slicesVersion: '5', podsVersion: '5', selector }
    const readAhead = (pods: readonly string[]) =>
      parseMessage(withField('readAhead', { ...ahead, selected: { pods, facts: others } })).readAhead
    expect(readAhead(['web-1'])).toEqual({ ...ahead, selected: { pods: ['web-1'], facts: others } })
    expect([readAhead([]), readAhead(['web-1', 'web-2'])]).toEqual([ahead, ahead])
  })

  it.each([
    ['says it of fewer Pods than the hint names', { ...facts, pods: [] }],
    ['says it of more', { ...facts, pods: [null, null] }],
    ['has no time', { ...facts, at: undefined }],
    ['has a time that is no number', { ...facts, at: 'now' }],
    ['has no selector', { ...facts, selector: undefined }],
    ['has an endless text', withEndpoint(5, 'h'.repeat(5_001))],
    [
      'has endless addresses',
      withEndpoint(
        1,
        Array.from({ length: 17 }, () => '10.0.0.1'),
      ),
    ],
    ['has an address that is no text', withEndpoint(1, [7])],
    ['has a readiness that is neither', withEndpoint(3, 2)],
    [
      'has a port that is none',
      { ...facts, pods: [{ endpoint, ports: [{ name: 'http', containerPort: 70_000 }] }] },
    ],
    ['lacks a field', { ...facts, pods: [{ endpoint: endpoint.slice(1), ports: [] }] }],
    ['is no object', 'ready'],
  ])('is passed over where it %s: the Pods are read', (_, value) => {
    expect(read(value)).toEqual(hint)
  })
})

describe('the versions in a message', () => {
  const hint = { pods: ['web-1'], slices: ['web-a', 'web-b'] }

  it.each([
    ['fewer than slices', ['7']],
    ['more than slices', ['7', '8', '9']],
    ['no versions', ['7', '']],
    ['no list', '7'],
  ])('of slices are passed over when they are %s, and the hint is not', (_, sliceVersions) => {
    expect(parseMessage(withField('hint', { v: 1, ...hint, sliceVersions })).hint).toEqual(hint)
  })

  it('of the Service is passed over when it is none', () => {
    expect(parseMessage(withField('serviceVersion', 7))).not.toHaveProperty('serviceVersion')
  })
})

describe('what a message says that is true or not there', () => {
  it.each(['relayVerifies', 'audit'])('is reported only where it is true: %s', (field) => {
    const key = { cluster: 'prod', namespace: 'shop', service: 'cart' }
    expect(parseMessage(encodeMessage({ ...key, [field]: true }))).toEqual({ ...key, [field]: true })
    for (const value of [false, 'true', 1]) expect(parseMessage(withField(field, value))).toEqual(key)
  })
})

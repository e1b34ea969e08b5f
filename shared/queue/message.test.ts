import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MalformedMessageError } from './errors.ts'
import { assertSendable, encodeMessage, type KeyMessage, parseMessage } from './message.ts'

const valid = { v: 1, cluster: 'prod', namespace: 'shop', service: 'cart' }
const withField = (field: string, value: unknown): string => JSON.stringify({ ...valid, [field]: value })
const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/)
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
    resourceVersion: fc.bigInt({ min: 0n, max: 2n ** 63n }).map(String),
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

  it('leaves absent fields out', () => {
    expect(encodeMessage({ cluster: 'prod', namespace: 'shop', service: 'cart' })).toBe(
      '{"v":1,"cluster":"prod","namespace":"shop","service":"cart"}',
    )
  })
})

describe('parseMessage', () => {
  it('reads back every message that was encoded', () => {
    fc.assert(
      fc.property(messages, (message) => {
        assertSendable(message)
        expect(parseMessage(encodeMessage(message))).toEqual(message)
      }),
    )
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
    ['another version', 'v', 2, /v must be 1/],
    ['a version that is text', 'v', '1', /v must be 1/],
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

describe('assertSendable', () => {
  it('refuses what the other side would refuse', () => {
    expect(() => assertSendable({ cluster: '', namespace: 'shop', service: 'cart' })).toThrow(
      'failed to send message: cluster must not be empty',
    )
  })
})

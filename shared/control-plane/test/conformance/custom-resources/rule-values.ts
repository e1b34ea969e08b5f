import { describe, expect, it } from 'vitest'
import type { Json, RawResponse } from '../../../../../test/support/raw-client.ts'
import { accepted } from '../subject.ts'
import { definition, GROUP, type Scene } from './scene.ts'

/** True on both servers. */
const TRUE = [
  // Times, in the zones that they were read in, and out of range.
  "string(timestamp('2020-01-01T05:04:05+02:00')) == '2020-01-01T05:04:05+02:00'",
  "string(self.when + duration('1s')) == '2020-01-01T05:04:06+02:00'",
  "timestamp('2020-01-01T5:04:05,5Z') == timestamp('2020-01-01T05:04:05.5Z')",
  "timestamp('2020-07-01T00:00:00Z').getHours('-00:30') == 23",
  "timestamp('1800-01-01T00:00:00Z').getMinutes('America/New_York') == 3",
  "timestamp('0050-03-01T00:00:00Z').getDayOfYear() == 59",
  "!optional.ofNonZeroValue(duration('0s')).hasValue()",
  // Numbers.
  "string(999999.9999999999) == '999999.9999999999'",
  "double('1_000') == 1000.0",
  '[1, 2][dyn(1.0)] == 2 && [1, 2][dyn(1u)] == 2',
  // Members of what has none.
  "!has(dyn({'a': 1}).a.b) && dyn(1).?b.orValue('none') == 'none'",
  // Texts.
  `"""a\\"""b""" == 'a"""b'`,
  "'\\u0085a\\ufeff'.trim() == 'a\\ufeff'",
  "'abc'.lastIndexOf('b', 10) == -1",
  'size([,]) == 0',
]

/** Fails on both servers, with these words. */
const FAILING = [
  ['self.zero / self.zero < 1.0', 'NaN values cannot be ordered'],
  ["timestamp(0).getHours('europe/paris') == 1", 'unknown time zone europe/paris'],
] as const

function ruled(rules: readonly string[]): Json {
  return {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        'x-kubernetes-validations': rules.map((rule) => ({ rule })),
        properties: { when: { type: 'string', format: 'date-time' }, zero: { type: 'number' } },
      },
    },
  }
}

/** Describes how rules treat values, where cel-go has rules of its own. */
export function describeRuleValues(scene: Scene): void {
  const { place, objects, define } = scene
  describe('values in rules', () => {
    const judged = async (plural: string, rules: readonly string[]): Promise<RawResponse> => {
      const kind = `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`
      await define(definition(plural, { schema: { openAPIV3Schema: ruled(rules) } }))
      const spec = { when: '2020-01-01T05:04:05+02:00', zero: 0 }
      const body = { apiVersion: `${GROUP}/v1`, kind, metadata: { name: 'a' }, spec }
      return await place.client.post(objects(plural), body)
    }

    it('are what cel-go makes of them', async () => {
      accepted(await judged('truths', TRUE))
    })

    it('fail as in cel-go', async () => {
      const { status, body } = await judged(
        'failings',
        FAILING.map(([rule]) => rule),
      )
      expect(status).toBe(422)
      const messages: string[] = body.details.causes.map(({ message }: Json) => message)
      for (const [index, [rule, why]] of FAILING.entries()) {
        expect([rule, messages[index]]).toEqual([rule, expect.stringContaining(why)])
      }
    })
  })
}

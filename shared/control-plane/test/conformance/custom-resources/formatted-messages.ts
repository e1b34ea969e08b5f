import { beforeAll, describe, expect, it } from 'vitest'
import { CRDS, definition, GROUP, type Scene } from './scene.ts'

/** Arguments of `format`, the clause, and what it makes of them. */
const SHOWN = [
  ['%s', '1e6', '1e+06'],
  ['%s', '0.1', '0.1'],
  ['%s', 'double("Infinity")', '+Inf'],
  ['%f', '1234.5', '1,234.500000'],
  ['%.2f', '-1234567.125', '-1,234,567.12'],
  ['%.0f', '2.5', '2'],
  ['%.0f', '-0.4', '-0'],
  ['%.1f', '1e22', '10,000,000,000,000,000,000,000.0'],
  ['%.20f', '0.1', '0.10000000000000000555'],
  ['%.256f', '1.5', '1.5'],
  ['%f', '-double("Infinity")', '-∞'],
  ['%f', '"NaN"', 'NaN'],
  ['%e', '1234.5', '1.234500×10⁰³'],
  ['%.3e', '-0.00001', '-1.000000×10⁻⁰⁵'],
  ['%e', '12345665.0', '1.234566×10⁰⁷'],
  ['%e', '1e100', '1.000000×10¹⁰⁰'],
  ['%e', '"Infinity"', '∞'],
  ['%s', '[1.0, -0.0, 1e21]', '[1.000000, -0.000000, 1000000000000000000000.000000]'],
  ['%s', '[double("NaN"), -double("Infinity")]', '["NaN", "-Inf"]'],
  ['%s', '{"b": [1, 2u, "x"], "a": 1.5, "B": null}', '{"B":null, "a":1.500000, "b":[1, 2, "x"]}'],
  ['%s', '{10: 1, 9: 2}', '{10:1, 9:2}'],
  ['%s', '[duration("1h"), duration("-1.5s")]', '[duration("3600s"), duration("-1.5s")]'],
  ['%s', '[timestamp("2026-01-02T03:04:05Z")]', '[timestamp("2026-01-02T03:04:05Z")]'],
  ['%s', 'timestamp("2026-01-02T03:04:05.006Z")', '2026-01-02T03:04:05.006Z'],
  ['%s', '[b"abc", b"\\n"]', '[b"abc", b"\\n"]'],
  ['%s', '["\\u0001\\u200b\\"é"]', '["\\x01\\u200b\\"é"]'],
  ['%s', '[type(1), type([]), type(null)]', '[int, list, null_type]'],
  ['%x', '-255', '-ff'],
  ['%X', 'b"\\xff"', 'FF'],
  ['%b', 'true', '1'],
] as const

const REFUSED = [
  ['%f', '5', 'error during formatting: fixed-point clause can only be used on doubles, was given int'],
  ['%e', '5u', 'error during formatting: scientific clause can only be used on doubles, was given uint'],
  [
    '%b',
    '"x"',
    'error during formatting: only integers and bools can be formatted as binary, was given string',
  ],
  [
    '%x',
    '1.5',
    'error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double',
  ],
  [
    '%s',
    '[[quantity("1")]]',
    'error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity',
  ],
  [
    '%d',
    'duration("1s")',
    'error during formatting: decimal clause can only be used on integers, was given google.protobuf.Duration',
  ],
  ['%', '1', 'unexpected end of string'],
  [
    '%.2',
    '1.5',
    'could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
  ],
  [
    '%.f',
    '1.5',
    'could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
  ],
  ['%s', '1, 2', 'too many arguments supplied to string.format (expected 1, got 2)'],
] as const

/** Describes what `format` makes in the messages of rules. */
export function describeFormattedMessages(scene: Scene): void {
  const { place, objects, define } = scene
  const schema = (cases: readonly (readonly [string, string, string])[]) => ({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: Object.fromEntries(cases.map((_, index) => [`case${index}`, { type: 'string' }])),
        'x-kubernetes-validations': cases.map(([clause, argument], index) => ({
          rule: 'false',
          messageExpression: `'${clause}'.format([${argument}])`,
          fieldPath: `.case${index}`,
        })),
      },
    },
  })

  describe('messages that are formatted', () => {
    let messages: string[] = []
    beforeAll(async () => {
      await define(definition('formatteds', { schema: { openAPIV3Schema: schema(SHOWN) } }))
      const object = { apiVersion: `${GROUP}/v1`, kind: 'Formatted', metadata: { name: 'x' }, spec: {} }
      const { body } = await place.client.post(objects('formatteds'), object)
      messages = body.details.causes.map(({ message }: { message: string }) => message)
    }, 120_000)

    it.each(SHOWN.map((shown, index) => [...shown, index] as const))(
      '%j shows %s as %j',
      (_c, _a, text, index) => {
        expect(messages[index]).toBe(`Invalid value: ${text}`)
      },
    )

    it('show no argument that does not fit its clause', async () => {
      const refused = definition('misformatteds', { schema: { openAPIV3Schema: schema(REFUSED) } })
      const { status, body } = await place.client.post(`${CRDS}?dryRun=All`, refused)
      expect(status).toBe(422)
      const reasons = body.details.causes.map(({ message }: { message: string }) =>
        message.replace(/^[\s\S]*<input>:1:\d+: /, '').replace(/\n[\s\S]*$/, ''),
      )
      expect(reasons).toEqual(REFUSED.map(([, , why]) => why))
    })
  })
}

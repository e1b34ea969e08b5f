import { expect, it } from 'vitest'
import { describeIn, type Subject } from './subject.ts'

const BEGINNING = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'
const TWICE = `${BEGINNING}data:\n  "a": x\n  a: z\n  b: x\n  b: z\nfoo: 1\n`

/** Describes bodies of creates in YAML, as Go's libraries read them. */
export function describeYamlBodies(subject: Subject): void {
  describeIn(subject, 'yaml-bodies', (place) => {
    const create = (body: string, validation = 'Warn') =>
      place.client.send(
        'POST',
        `${place.path('configmaps')}?dryRun=All&fieldManager=test&fieldValidation=${validation}`,
        { body, headers: { 'content-type': 'application/yaml' } },
      )

    it('count members that stand twice with their last value, and warn of them', async () => {
      const { status, headers, body } = await create(TWICE)
      expect(status).toBe(201)
      expect(body.data).toEqual({ a: 'z', b: 'z' })
      expect(headers.warning).toBe(
        String.raw`299 - "line 6: key \"a\" already set in map", 299 - "line 8: key \"b\" already set in map", 299 - "unknown field \"foo\""`,
      )
      expect((await create(TWICE, 'Ignore')).headers.warning).toBeUndefined()
    })

    it('are refused for members that stand twice where the client asks for that', async () => {
      const { status, body } = await create(TWICE, 'Strict')
      expect(status).toBe(400)
      expect(body.message).toBe(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n' +
          '  line 6: key "a" already set in map\n  line 8: key "b" already set in map, unknown field "foo"',
      )
    })

    it.each(['y', 'yes', 'On', 'n', 'No', 'OFF', 'true'])('take %s for a truth value', async (word) => {
      const { status, body } = await create(`${BEGINNING}data: {a: ${word}}\n`)
      expect(status).toBe(400)
      expect(body.message).toContain(
        'cannot unmarshal bool into Go struct field ConfigMap.data of type string',
      )
    })

    it.each([
      ['a: b: c', 'yaml: mapping values are not allowed in this context (613a20623a2063)'],
      ['a:\n\tb: c', 'yaml: line 2: found character that cannot start any token (613a0a09623a2063)'],
    ])('that are none are refused: %j', async (text, why) => {
      const { status, body } = await create(text)
      expect(status).toBe(400)
      expect(body.message).toBe(`the object provided is unrecognized (must be of type ConfigMap): ${why}`)
    })
  })
}

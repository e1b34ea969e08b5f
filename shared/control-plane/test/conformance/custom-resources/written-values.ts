import { describe, expect, it } from 'vitest'
import type { RawResponse } from '../../../../../test/support/raw-client.ts'
import { GROUP, type Scene } from './scene.ts'

const ENORMOUS = `1${'0'.repeat(320)}`
const HELD = 'json: cannot unmarshal number'

/** Describes which values texts stand for, in JSON and in YAML as Go's libraries read it. */
export function describeWrittenValues({ place, objects }: Scene): void {
  const path = `${objects('widgets')}?dryRun=All`
  const send = (body: string, type: string): Promise<RawResponse> =>
    place.client.send('POST', path, { body, headers: { 'content-type': `application/${type}` } })
  const inJson = (value: string): string =>
    `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":{"name":"written"},"spec":{"free":{"x":${value}}}}`
  const inYaml = (value: string): string =>
    `apiVersion: ${GROUP}/v1\nkind: Widget\nmetadata: {name: written}\nspec:\n  free:\n    x: ${value}\n`
  const readAs = async (answer: Promise<RawResponse>): Promise<unknown> => {
    const { status, body } = await answer
    expect([status, body.message]).toEqual([201, undefined])
    return body.spec.free.x
  }
  const refusalOf = async (answer: Promise<RawResponse>): Promise<string> => {
    const { status, body } = await answer
    expect(status).toBe(400)
    return body.message
  }

  describe('a value in YAML', () => {
    it.each<[string, unknown]>([
      ['0644', 420],
      ['-017', -15],
      ['0_644', 420],
      ['0o17', 15],
      ['0x1F', 31],
      ['-0x1f', -31],
      ['0b11', 3],
      ['-0b11', -3],
      ['9_007_199', 9_007_199],
      ['1_000.5', 1000.5],
      ['+12', 12],
      ['08', 8],
      ['1e3', 1000],
      ['.5', 0.5],
      ['5.', 5],
      ['1.0', 1],
      ['!!float 3', 3],
      ['!!int "3"', 3],
      ['yes', true],
      ['Off', false],
      ['~', null],
      ['', null],
      ['{017: a, yes: b, 1.5: c}', { 15: 'a', true: 'b', '1.5': 'c' }],
      ['{<<: [{a: 1}, {a: 2, c: 3}], b: 2}', { a: 1, b: 2, c: 3 }],
    ])('%s is what YAML 1.1 makes of it', async (text, value) => {
      expect(await readAs(send(inYaml(text), 'yaml'))).toEqual(value)
    })

    it.each([
      '0o8',
      '0x',
      '_1',
      '1:30',
      '12:30:45',
      '2001-01-01',
      '2001-01-01T00:00:00Z',
      'yEs',
      'nUll',
      '..',
      '-.',
      '+.nan',
      '1e999',
      ENORMOUS,
    ])('%s is a text', async (text) => {
      expect(await readAs(send(inYaml(text), 'yaml'))).toBe(text)
    })

    it.each([
      ["'0644'", '0644'],
      ['!!str 0644', '0644'],
      ['!!binary aGVsbG8=', 'hello'],
      ['!!timestamp 2001-01-01', '2001-01-01'],
      ['!own 3', '3'],
    ])('%s is a text, as its quotes or its tag say', async (text, value) => {
      expect(await readAs(send(inYaml(text), 'yaml'))).toBe(value)
    })

    it.each([
      ['.inf', 'json: unsupported value: +Inf'],
      ['-.Inf', 'json: unsupported value: -Inf'],
      ['.nan', 'json: unsupported value: NaN'],
      ['!!int x', 'yaml: cannot decode !!str `x` as a !!int'],
      ['!!int 1.5', 'yaml: cannot decode !!float `1.5` as a !!int'],
      ['!!bool 3', 'yaml: cannot decode !!int `3` as a !!bool'],
      ['{~: a}', 'unsupported map key of type: %!s(<nil>), key: <nil>'],
    ])('%s is refused, as JSON cannot say it', async (text, why) => {
      expect(await refusalOf(send(inYaml(text), 'yaml'))).toContain(
        `the object provided is unrecognized (must be of type Widget): ${why}`,
      )
    })
  })

  describe('a number in JSON', () => {
    it.each<[string, number]>([
      ['1e308', 1e308],
      ['123.0e306', 1.23e308],
      ['1e-999', 0],
      ['0e999', 0],
    ])('%s is the nearest float', async (text, number) => {
      expect(await readAs(send(inJson(text), 'json'))).toBe(number)
    })

    it.each(['1e999', '-1e400', '1.8e308', '1E+999', ENORMOUS, `1${'0'.repeat(250)}e99`])(
      'is refused where it is larger than any float: %s',
      async (text) => {
        expect(await refusalOf(send(inJson(text), 'json'))).toBe(
          `Widget in version "v1" cannot be handled as a Widget: ${HELD} ${text} into Go value of type float64`,
        )
        expect(await readAs(send(inJson(`"${text}"`), 'json'))).toBe(text)
      },
    )

    it('is refused in patches where it is larger than any float', async () => {
      const made = await place.client.post(objects('widgets'), inJson('1').replace('written', 'patched'))
      expect(made.status).toBe(201)
      const patch = (type: string, body: string): Promise<RawResponse> =>
        place.client.send('PATCH', objects('widgets', 'patched'), {
          body,
          headers: { 'content-type': `application/${type}+json` },
        })
      const refusals = [
        await refusalOf(patch('merge-patch', '{"spec":{"free":{"x":1e999}}}')),
        await refusalOf(patch('json-patch', '[{"op":"add","path":"/spec/free/x","value":1e999}]')),
      ]
      for (const refusal of refusals) expect(refusal).toContain(`error decoding patch: ${HELD} 1e999 into Go`)
    })

    it('is a text where it is applied, as that is read as YAML', async () => {
      const applied = await place.client.send('PATCH', `${objects('widgets', 'applied')}?fieldManager=test`, {
        body: inJson('1e999').replace('written', 'applied'),
        headers: { 'content-type': 'application/apply-patch+yaml' },
      })
      expect(await readAs(Promise.resolve(applied))).toBe('1e999')
    })
  })
}

import { expect, it, onTestFinished } from 'vitest'
import type { Json, RawResponse } from '../../../../../../test/support/raw-client.ts'
import { accepted } from '../../subject.ts'
import { GROUP } from '../scene.ts'
import { LEAST, type Ledgers, literally, MOST, ODD, specOf } from './ledgers.ts'

/** Describes every way in and out, which must keep each digit. */
export function describeWrites({ scene: { place }, path, ledger, send, create, dryRun }: Ledgers): void {
  const patch = (name: string, body: string, type: string): Promise<RawResponse> =>
    send('PATCH', path(name), body, `${type}+json`)
  const apply = (manager: string, spec: string): Promise<RawResponse> =>
    send('PATCH', `${path('applied')}?fieldManager=${manager}`, ledger('applied', spec), 'apply-patch+yaml')

  it.each([MOST, LEAST, ODD, `-${ODD}`, '9007199254740992'])(
    'are kept to the last digit: %s',
    async (number) => {
      const name = `kept${number}`.replace('-', '.')
      const written = await create(name, `{"whole":${number},"int64":${number},"free":[${number}]}`)
      const spec = { whole: number, int64: number, free: [number] }
      expect(specOf(written)).toEqual(spec)
      expect(specOf(await place.client.get(path(name)))).toEqual(spec)
      const yaml = await place.client.get(path(name), { accept: 'application/yaml' })
      expect(yaml.text).toContain(`\n  free:\n  - ${number}\n  int64: ${number}\n`)
      expect(yaml.text).toContain(`\n  whole: ${number}\n`)
    },
  )

  it.each([
    ['9223372036854775808', '9223372036854776000', '9223372036854776000'],
    ['-9223372036854775809', '-9223372036854776000', '-9.223372036854776e+18'],
    ['18446744073709551616', '18446744073709552000', '1.8446744073709552e+19'],
    ['9007199254740993.0', '9007199254740992', '9007199254740992'],
    ['1e18', '1000000000000000000', '1000000000000000000'],
  ])('are floats where 64 bits do not hold them, or they have a point: %s', async (number, shown, inYaml) => {
    expect(specOf(await dryRun(`{"ratio":${number},"free":${number}}`))).toEqual({
      ratio: shown,
      free: shown,
    })
    const headers = { 'content-type': 'application/json', accept: 'application/yaml' }
    const body = ledger('dry', `{"ratio":${number}}`)
    const yaml = await place.client.send('POST', `${path()}?dryRun=All`, { body, headers })
    expect(yaml.text).toContain(`\n  ratio: ${inYaml}\n`)
  })

  it.each([
    [ODD, ODD],
    [`+${ODD}`, ODD],
    ['0x7fffffffffffffff', MOST],
    [LEAST, LEAST],
    ['9223372036854775808', '9223372036854776000'],
    ['9007199254740993.0', '9007199254740992'],
  ])('are read from YAML: %s', async (number, shown) => {
    const body = `apiVersion: ${GROUP}/v1\nkind: Ledger\nmetadata: {name: dry}\nspec: {free: ${number}}\n`
    expect(specOf(await send('POST', `${path()}?dryRun=All`, body, 'yaml'))).toEqual({ free: shown })
  })

  it('are integers in YAML, with a point too, for what JSON has no point for', async () => {
    const body = `apiVersion: ${GROUP}/v1\nkind: Ledger\nmetadata: {name: dry}\nspec: {whole: ${ODD}.0}\n`
    expect(specOf(await send('POST', `${path()}?dryRun=All`, body, 'yaml'))).toEqual({
      whole: '9007199254740992',
    })
  })

  it('are listed and watched to the last digit', async () => {
    const { metadata } = accepted(await place.client.get(path()))
    accepted(await create('seen', `{"whole":${MOST}}`))
    const list = literally((await place.client.get(`${path()}?fieldSelector=metadata.name%3Dseen`)).text)
    expect(list.items[0].spec.whole).toBe(MOST)
    const events = await place.client.watch(`${path()}?resourceVersion=${metadata.resourceVersion}`)
    onTestFinished(() => events.close())
    const { type, object } = literally((await events.nextText()) ?? '')
    expect([type, object.metadata.name, object.spec.whole]).toEqual(['ADDED', 'seen', MOST])
  })

  it('are changed by an update, even by one, and not by the same again', async () => {
    const first = accepted(await create('updated', `{"whole":${MOST}}`))
    const put = (number: string, { resourceVersion }: Json): Promise<RawResponse> =>
      place.client.put(
        path('updated'),
        ledger('updated', `{"whole":${number}}`, `,"resourceVersion":"${resourceVersion}"`),
      )
    const second = await put('9223372036854775806', first.metadata)
    expect(specOf(second)).toEqual({ whole: '9223372036854775806' })
    const { metadata } = second.body
    expect(metadata.generation).toBe(2)
    const third = await put('9223372036854775806', metadata)
    expect(accepted(third).metadata).toMatchObject({
      generation: 2,
      resourceVersion: metadata.resourceVersion,
    })
  })

  it('are patched', async () => {
    accepted(await create('patched', `{"whole":${MOST}}`))
    expect(specOf(await patch('patched', `{"spec":{"whole":${LEAST}}}`, 'merge-patch'))).toEqual({
      whole: LEAST,
    })
    const test = (number: string): string => `{"op":"test","path":"/spec/whole","value":${number}}`
    const replace = `{"op":"replace","path":"/spec/whole","value":${ODD}}`
    const copy = '{"op":"copy","from":"/spec/whole","path":"/spec/free"}'
    const other = await patch('patched', `[${test('-9223372036854775807')},${replace}]`, 'json-patch')
    expect(other.status).toBe(422)
    const same = await patch('patched', `[${test(LEAST)},${replace},${copy}]`, 'json-patch')
    expect(specOf(same)).toEqual({ whole: ODD, free: ODD })
  })

  it('are applied, and owned by those who apply them', async () => {
    const rows = `[{"id":${MOST},"size":1},{"id":9223372036854775806,"size":2}]`
    const first = await apply('one', `{"whole":${ODD},"marks":[${ODD},5,9007199254740992],"rows":${rows}}`)
    expect(specOf(first)).toMatchObject({ whole: ODD, marks: [ODD, '5', '9007199254740992'] })
    const owned = first.body.metadata.managedFields[0].fieldsV1['f:spec']
    expect(Object.keys(owned['f:marks'])).toEqual(['v:5', 'v:9007199254740992', `v:${ODD}`])
    expect(Object.keys(owned['f:rows'])).toEqual(['k:{"id":9223372036854775806}', `k:{"id":${MOST}}`])
    const other = await apply('two', '{"whole":9007199254740992}')
    expect([other.status, other.body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "one": .spec.whole',
    ])
    const less = await apply('one', `{"whole":${ODD},"rows":[{"id":${MOST},"size":${MOST}}]}`)
    expect(specOf(less)).toEqual({ whole: ODD, rows: [{ id: MOST, size: MOST }] })
    expect(specOf(await apply('two', `{"whole":${ODD}}`))).toMatchObject({ whole: ODD })
  })
}

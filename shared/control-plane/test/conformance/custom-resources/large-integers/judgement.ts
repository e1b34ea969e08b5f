import { expect, it, vi } from 'vitest'
import type { Json } from '../../../../../../test/support/raw-client.ts'
import { accepted, PATIENCE } from '../../subject.ts'
import { CRDS, GROUP } from '../scene.ts'
import { causesOf, LEAST, type Ledgers, literally, MOST, ODD, specOf } from './ledgers.ts'

/** Describes how schemas, rules, tables and selectors treat them. */
export function describeJudgement({ scene: { place }, path, send, create, dryRun }: Ledgers): void {
  const type = (name: string, expected: string, shown = 'number'): string =>
    `spec.${name}: Invalid value: "${shown}": spec.${name} in body must be of type ${expected}: "${shown}"`
  const checked = (name: string, reported: string, what = 'Checked'): string =>
    `<nil>: Invalid value: "": ${what} value must be of type integer ${reported} in spec.${name}`
  const should = (name: string, number: string, why: string): string =>
    `spec.${name}: Invalid value: ${number}: spec.${name} in body should be ${why}`
  const DEFAULT = '(default format)'

  it.each([
    ['whole', '9223372036854775808', [type('whole', 'integer'), checked('whole', DEFAULT)]],
    ['whole', '-9223372036854775809', [type('whole', 'integer'), checked('whole', DEFAULT)]],
    ['whole', '9007199254740992.0', [type('whole', 'integer')]],
    ['whole', '1e18', [type('whole', 'integer')]],
    ['int32', MOST, [checked('int32', 'with format int32')]],
    ['int64', '1e18', [type('int64', 'int64', 'float64')]],
    ['either', '1e18', [type('either', 'integer,string')]],
    [
      'floor',
      '9007199254740991',
      [should('floor', '9007199254740991', 'greater than or equal to 9007199254740992')],
    ],
    ['above', '-9007199254740995', [should('above', '-9007199254740995', 'greater than -9007199254740994')]],
    ['ceiling', ODD, [should('ceiling', ODD, 'less than or equal to 9007199254740992')]],
    ['endless', '5', [checked('endless', DEFAULT, 'Maximum boundary')]],
    ['thirds', MOST, [should('thirds', MOST, 'a multiple of 3')]],
    [
      'choice',
      '9007199254740992',
      [`spec.choice: Unsupported value: 9007199254740992: supported values: "${ODD}", "5"`],
    ],
    [
      'choice',
      '9007199254740993.0',
      [
        type('choice', 'integer'),
        `spec.choice: Unsupported value: 9.007199254740992e+15: supported values: "${ODD}", "5"`,
      ],
    ],
    ['marks', `[${ODD},${ODD}]`, [`spec.marks[1]: Duplicate value: ${ODD}`]],
    ['rows', `[{"id":${MOST}},{"id":${MOST}}]`, [`spec.rows[1]: Duplicate value: {"id":${MOST}}`]],
    [
      'replicas',
      MOST,
      [`.spec.replicas: Invalid value: ${MOST}: should be less than or equal to 2147483647`],
    ],
    ['whole', '9007199254740995', ['spec: Invalid value: not this integer']],
    ['ratio', '9007199254740997', ['spec: Invalid value: not this number']],
    ['either', '9007199254740995', ['spec: Invalid value: nor this']],
  ])('are judged: %s of %s', async (name, number, expected) => {
    expect(causesOf(await dryRun(`{"${name}":${number}}`))).toEqual(expected)
  })

  it.each([
    ['whole', '9007199254740994'],
    ['ratio', MOST],
    ['either', MOST],
    ['floor', ODD],
    ['floor', '9007199254740992'],
    ['above', `-${ODD}`],
    ['ceiling', '9007199254740992'],
    ['thirds', '9223372036854775806'],
    ['choice', ODD],
  ])('are right: %s of %s', async (name, number) => {
    expect(specOf(await dryRun(`{"${name}":${number}}`))).toEqual({ [name]: number })
  })

  it('are different elements of lists', async () => {
    const rows = `[{"id":${ODD}},{"id":9007199254740992}]`
    const { marks } = specOf(await dryRun(`{"marks":[9007199254740992,${ODD}],"rows":${rows}}`))
    expect(marks).toEqual(['9007199254740992', ODD])
  })

  it('are defaults, and stand in definitions as Go has them', async () => {
    expect(literally((await dryRun('{}')).text).spec).toEqual({ preset: MOST })
    const { text } = await place.client.get(`${CRDS}/ledgers.${GROUP}`)
    const { properties } = literally(text).spec.versions[0].schema.openAPIV3Schema.properties.spec
    expect([properties.preset.default, properties.choice.enum]).toEqual([MOST, [ODD, '5']])
    expect([properties.floor.minimum, properties.endless.maximum]).toEqual([
      '9007199254740992',
      '9223372036854776000',
    ])
  })

  it('stand in OpenAPI v3 as they are, and are floats in v2', async () => {
    const propertiesIn = async (document: string, schemas: (all: Json) => Json): Promise<Json> => {
      const { text } = await place.client.get(`/openapi/${document}`)
      const name = `${GROUP.split('.').reverse().join('.')}.v1.Ledger`
      return schemas(literally(text))[name].properties.spec.properties
    }
    await vi.waitFor(async () => {
      const { preset, choice } = await propertiesIn(`v3/apis/${GROUP}/v1`, (all) => all.components.schemas)
      expect([preset.default, choice.enum]).toEqual([MOST, [ODD, '5']])
      const old = await propertiesIn('v2', ({ definitions }) => definitions)
      expect([old.preset, old.choice.enum]).toEqual([{ type: 'integer' }, ['9007199254740992', '5']])
    }, PATIENCE)
  })

  it('are cells of tables', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const cells = async (number: string): Promise<Json> => {
      const headers = { 'content-type': 'application/json', accept }
      const name = `row${number.length}${number.endsWith('8') ? 'f' : ''}`
      accepted(await create(name, `{"free":${number}}`))
      const { text } = await place.client.get(path(name), headers)
      return literally(text).rows[0].cells.slice(1)
    }
    expect(await cells(MOST)).toEqual([MOST, '9223372036854776000', MOST])
    expect(await cells(ODD)).toEqual([ODD, '9007199254740992', ODD])
    expect(await cells('9223372036854775808')).toEqual([
      LEAST,
      '9223372036854776000',
      '9.223372036854776e+18',
    ])
  })

  it('select objects', async () => {
    accepted(await create('chosen', '{"whole":-9007199254740995}'))
    const names = async (number: string): Promise<string[]> =>
      accepted(await place.client.get(`${path()}?fieldSelector=spec.whole%3D${number}`)).items.map(
        ({ metadata }: Json) => metadata.name,
      )
    expect(await names('-9007199254740995')).toEqual(['chosen'])
    expect(await names('-9007199254740996')).toEqual([])
  })

  it('are too many replicas', async () => {
    accepted(await create('scaled', '{"replicas":3}'))
    const status = await send(
      'PATCH',
      path('scaled/status'),
      `{"status":{"replicas":${MOST}}}`,
      'merge-patch+json',
    )
    expect(causesOf(status)).toEqual([
      `.status.replicas: Invalid value: ${MOST}: should be less than or equal to 2147483647`,
    ])
    const float = await send(
      'PATCH',
      path('scaled/status'),
      '{"status":{"replicas":9223372036854775808}}',
      'merge-patch+json',
    )
    expect(causesOf(float)).toEqual([
      '.status.replicas: Invalid value: 0: .status.replicas accessor error: 9.223372036854776e+18 is of the type float64, expected int64',
    ])
  })
}

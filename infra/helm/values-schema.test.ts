import { readFile, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { valuesSchema } from './values-schema.fixtures.ts'

const CHART = new URL('./sliceflow/', import.meta.url)
const read = (file: string): Promise<string> => readFile(new URL(file, CHART), 'utf8')

it('has every setting in values.schema.json, as the settings have it; UPDATE=1 writes it there', async () => {
  const right = `${JSON.stringify(valuesSchema(), null, 2)}\n`
  if (process.env.UPDATE === '1') await writeFile(new URL('values.schema.json', CHART), right)
  expect(await read('values.schema.json')).toBe(right)
})

it('knows each value of values.yaml, and no other', async () => {
  const { global: _, enabled: __, ...properties } = valuesSchema().properties
  expect(Object.keys(parse(await read('values.yaml'))).toSorted()).toEqual(Object.keys(properties).toSorted())
})

it('brings the alerts of infra/prometheus; UPDATE=1 writes them there', async () => {
  const right = await readFile(new URL('../prometheus/alerts.yaml', import.meta.url), 'utf8')
  if (process.env.UPDATE === '1') await writeFile(new URL('alerts.yaml', CHART), right)
  expect(await read('alerts.yaml')).toBe(right)
})

it('is of the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(parse(await read('Chart.yaml'))).toMatchObject({ version, appVersion: version })
})

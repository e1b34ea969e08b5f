import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { serviceImports } from '../../../shared/fleet/index.ts'
import { ENDPOINT_SLICES, SERVICES } from '../../../shared/kubernetes/index.ts'
import { type CommandFleet, startCommandFleet } from '../../fleet.fixtures.ts'
import { outputOf, ranBy } from '../../program.fixtures.ts'
import { planCommand } from './command.ts'

let fleet: CommandFleet | undefined
beforeAll(async () => {
  fleet = await startCommandFleet(['eu-1', 'us-1'])
})
afterAll(() => fleet?.stop())

/** Runs the command and returns its output; rejects with the error that the program would report. */
const plan = (...args: readonly string[]): Promise<string> => outputOf('plan', ...args)

describe('sliceflow plan --fleet', () => {
  it('plans the Services of one namespace', async () => {
    const synced = async (...args: readonly string[]): Promise<unknown> =>
      parse(await plan(...(fleet?.flags ?? []), '--fleet', '-o', 'yaml', ...args)).synced
    expect(await synced('-n', 'shop')).toBe(1)
    expect(await synced('-n', 'default')).toBe(0)
  })

  it('prints every write in every cluster of the set, and writes nothing', async () => {
    const text = await plan(...(fleet?.flags ?? []), '--fleet')
    expect(text.replaceAll(/derived-\w+(-\w+)?/g, 'derived')).toBe(
      [
        'shop/web',
        '  eu-1  create ServiceImport web',
        '  eu-1  create Service derived',
        '  eu-1  create EndpointSlice derived',
        '  eu-1  update ServiceImport web (status)',
        '  eu-1  update ServiceExport web (status)',
        '  us-1  create ServiceImport web',
        '  us-1  create Service derived',
        '  us-1  create EndpointSlice derived',
        '  us-1  update ServiceImport web (status)',
        '1 Service of the cluster set default: 6 creates, 3 updates, 0 deletes',
        '',
      ].join('\n'),
    )
    for (const client of fleet?.clients ?? []) {
      expect((await client.list(serviceImports('v1beta1'))).items).toEqual([])
      const { items } = await client.list(ENDPOINT_SLICES, { namespace: 'shop' })
      expect(items.filter(({ metadata }) => metadata?.name !== 'web-1')).toEqual([])
      const services = await client.list(SERVICES, { namespace: 'shop' })
      expect(services.items.filter(({ metadata }) => metadata?.name !== 'web')).toEqual([])
    }
  })

  it('prints the objects as JSON, and its exit code says that something would be written', async () => {
    const flags = [...(fleet?.flags ?? []), '--fleet', 'shop/web', '-o', 'json']
    expect((await ranBy('plan', ...flags)).code).toBe(0)
    const { code, stdout } = await ranBy('plan', ...flags, '--check')
    const document = JSON.parse(stdout)
    expect(document).toMatchObject({
      version: 1,
      clusterSet: 'default',
      synced: 1,
      failures: [],
      services: [{ namespace: 'shop', service: 'web', clusters: [{ cluster: 'eu-1' }, { cluster: 'us-1' }] }],
    })
    expect(document.services[0].clusters[1].writes[0]).toMatchObject({
      verb: 'create',
      kind: 'ServiceImport',
      object: { spec: { type: 'ClusterSetIP', ports: [{ name: 'http', port: 80 }] } },
    })
    expect(code).toBe(1)
  })

  it('reports a cluster that cannot be read, by its exit code as well', async () => {
    const lost = await startCommandFleet(['ap-1'])
    onTestFinished(() => lost.stop())
    await lost.lose()
    const { code, stdout: text } = await ranBy('plan', ...(fleet?.flags ?? []), ...lost.flags, '--fleet')
    expect(text).toContain('cluster ap-1 cannot be listed: ')
    expect(text).toMatch(/ {2}ap-1 {2}failed to /)
    expect(code).toBe(1)
  })
})

it('plan takes each setting that says how the slices of a cluster set are packed', () => {
  const flags = planCommand().options.map(({ long }) => long)
  expect(flags).toEqual(expect.arrayContaining(['--packing', '--max-endpoints-per-slice']))
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { NODES, SERVICES } from '../../../shared/kubernetes/index.ts'
import { contentSettings, parseSettings, type SettingsInput } from '../../../shared/settings/index.ts'
import { createFakePods, makeNode, makePod, makeService } from '../../../test/support/world/index.ts'
import { type CommandCluster, startCommandCluster } from '../../cluster.fixtures.ts'
import { createStatusRecord } from '../../local/index.ts'
import { outputOf, ranBy } from '../../program.fixtures.ts'
import { serveStatus } from '../../relay.fixtures.ts'

let cluster: CommandCluster
let kubeconfig: string

beforeAll(async () => {
  cluster = await startCommandCluster()
  kubeconfig = cluster.kubeconfig
  const { client } = cluster
  await client.create(NODES, makeNode({ name: 'node-1' }))
  await client.create(SERVICES, makeService({ namespace: 'shop', name: 'web' }))
  await createFakePods(client).start(makePod({ namespace: 'shop', name: 'web-1' }), ['10.1.0.1'])
})
afterAll(() => cluster?.stop())

/** Runs a command and returns its output; rejects with the error that the program would report. */
const explain = (...args: readonly string[]): Promise<string> =>
  outputOf('explain', '--kubeconfig', kubeconfig, '--mode', 'replace', ...args)
const status = (...args: readonly string[]): Promise<string> =>
  outputOf('status', '--kubeconfig', kubeconfig, '--mode', 'replace', ...args)

describe('sliceflow explain', () => {
  it('reports a Service of a namespace for people, or as JSON', async () => {
    expect(await explain('shop/web')).toMatch(/^Service: +shop\/web\n/)
    expect(JSON.parse(await explain('shop/web', '-o', 'json'))).toMatchObject({
      version: 1,
      management: { state: 'Managed' },
      endpoints: [{ name: 'web-1', outcome: 'Pending' }],
    })
  })

  it('finds the Service by -n, and prints the same report as YAML', async () => {
    expect(await explain('-n', 'shop', 'web')).toMatch(/^Service: +shop\/web\n/)
    expect(await explain('-n', 'shop', 'shop/web')).toMatch(/^Service: +shop\/web\n/)
    const json = JSON.parse(await explain('-n', 'shop', 'web', '-o', 'json'))
    expect(parse(await explain('-n', 'shop', 'web', '-o', 'yaml'))).toEqual(json)
  })

  it('has a status of one namespace', async () => {
    const servicesOf = async (...args: readonly string[]): Promise<unknown> =>
      parse(await status('--sample', '0', '-o', 'yaml', ...args)).clusters[0].services
    expect(await servicesOf('-n', 'shop')).toBe(1)
    expect(await servicesOf('-n', 'default')).toBe(0)
    expect(await servicesOf('-A')).toBe(await servicesOf())
  })

  it.each([
    [
      'a Service that there is not',
      ['shop/wbe'],
      'there is no Service shop/wbe in cluster sliceflow, and no EndpointSlice that names it: the namespace has web',
    ],
    ['a namespace without Services', ['nowhere/web'], 'the namespace has no Services, or does not exist'],
    ['the namespace default, if none is named', ['web'], 'there is no Service default/web'],
  ])('reports %s', async (_, args, message) => {
    await expect(explain(...args)).rejects.toThrow(message)
  })
})

describe('with the run that --relay names', () => {
  /** Serves the status of a run with these settings. */
  async function startRun(settings: SettingsInput | undefined): Promise<string> {
    const shown = settings && contentSettings(parseSettings(settings))
    return serveStatus(createStatusRecord(['sliceflow'], Date.now, shown).document)
  }

  const ask = (command: 'explain' | 'status', ...args: readonly string[]): Promise<string> =>
    outputOf(command, '--kubeconfig', kubeconfig, ...args)

  it('explain and status speak of its mode and managed-by value', async () => {
    const relay = await startRun({ mode: 'replace', managedBy: 'endpointslice-controller.k8s.io' })
    expect(await ask('explain', 'shop/web')).toContain('so the in-tree controller serves it')
    const explained = await ask('explain', 'shop/web', '--relay', relay, '-o', 'json')
    expect(JSON.parse(explained)).toMatchObject({
      ...{ mode: 'replace', managedBy: 'endpointslice-controller.k8s.io' },
      management: { state: 'Managed' },
    })
    const shown = await ask('status', '--relay', relay, '--sample', '0', '-o', 'json')
    expect(JSON.parse(shown)).toMatchObject({
      clusters: [{ services: 1, managedBy: 'endpointslice-controller.k8s.io' }],
      relay: { settings: { mode: 'replace', maximumRemoval: expect.anything() } },
    })
  })

  it('a flag that says otherwise is refused in words, and one that says the same is not', async () => {
    const relay = await startRun({ mode: 'replace' })
    for (const command of ['explain', 'status'] as const) {
      const service = command === 'explain' ? ['shop/web'] : ['--sample', '0']
      await expect(ask(command, '--relay', relay, '--mode', 'custom', ...service)).rejects.toThrow(
        `--mode is custom, but the run at ${relay} has replace: leave it out to ask about that run`,
      )
      await ask(command, '--relay', relay, '--mode', 'replace', ...service)
    }
  })

  it('flags count where it has no settings, and explain says why nothing can be asked', async () => {
    const relay = await startRun(undefined)
    const explained = await ask('explain', 'shop/web', '--mode', 'replace', '--relay', relay)
    expect(explained).not.toContain('so the in-tree controller serves it')
    await expect(ask('explain', 'shop/web', '--relay', 'http://127.0.0.1:1')).rejects.toThrow(
      /^relay http:\/\/127\.0\.0\.1:1: no answer: /,
    )
  })
})

describe('sliceflow status', () => {
  it('fails when something is wrong, and says what', async () => {
    const flags = ['--kubeconfig', kubeconfig, '--mode', 'replace']
    const { code, stdout } = await ranBy('status', ...flags, '--check', '-o', 'json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      healthy: false,
      problems: [
        expect.stringMatching(/^cluster sliceflow: 1 Service out of date: shop\/web \(would create web-/),
      ],
      clusters: [{ name: 'sliceflow', reachable: true, services: 1, slices: 0 }],
    })
  })
})

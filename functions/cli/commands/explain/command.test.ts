import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type ControlPlane, createControlPlane } from '../../../../shared/control-plane/index.ts'
import {
  createApiClient,
  loadClusters,
  NAMESPACES,
  NODES,
  SERVICES,
} from '../../../../shared/kubernetes/index.ts'
import { createFakePods, makeNode, makePod, makeService } from '../../../demo/world/index.ts'
import { capturing } from '../../program.fixtures.ts'
import { statusCommand } from '../status/command.ts'
import { explainCommand } from './command.ts'

let controlPlane: ControlPlane
let folder: string
let kubeconfig: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sliceflow-explain-'))
  kubeconfig = join(folder, 'kubeconfig')
  controlPlane = await createControlPlane()
  await controlPlane.listen()
  await writeFile(kubeconfig, controlPlane.kubeconfig, { mode: 0o600 })
  const [connection] = await loadClusters(kubeconfig)
  if (connection === undefined) throw new Error('the kubeconfig names no cluster')
  const client = createApiClient(connection)
  await client.create(NAMESPACES, { metadata: { name: 'shop' } })
  await client.create(NODES, makeNode({ name: 'node-1' }))
  await client.create(SERVICES, makeService({ namespace: 'shop', name: 'web' }))
  await createFakePods(client).start(makePod({ namespace: 'shop', name: 'web-1' }), ['10.1.0.1'])
  client.close()
})
afterAll(async () => {
  await controlPlane?.close()
  await rm(folder, { recursive: true })
})

/** Runs the command and returns its output; rejects with the error that the program would report. */
async function run(command: Command, ...args: readonly string[]): Promise<string> {
  const written = { stdout: '', stderr: '' }
  await capturing(written, () =>
    command
      .exitOverride()
      .parseAsync(['--kubeconfig', kubeconfig, '--mode', 'replace', ...args], { from: 'user' }),
  )
  return written.stdout
}
const explain = (...args: readonly string[]): Promise<string> => run(explainCommand(), ...args)
const status = (...args: readonly string[]): Promise<string> => run(statusCommand(), ...args)

describe('sliceflow explain', () => {
  it('tells of a Service of a namespace for people, or as JSON', async () => {
    expect(await explain('shop/web')).toMatch(/^Service: +shop\/web\n/)
    expect(JSON.parse(await explain('shop/web', '-o', 'json'))).toMatchObject({
      version: 1,
      management: { state: 'Managed' },
      endpoints: [{ name: 'web-1', outcome: 'Pending' }],
    })
  })

  it.each([
    [
      'a Service that there is not',
      ['shop/wbe'],
      'there is no Service shop/wbe in cluster sliceflow, and no EndpointSlice that names it: the namespace has web',
    ],
    ['a namespace without Services', ['nowhere/web'], 'the namespace has no Services, or does not exist'],
    ['the namespace default, if none is named', ['web'], 'there is no Service default/web'],
    ['a cluster that there is not', ['--context', 'mars', 'shop/web'], 'has no context "mars"'],
    ['what is no Service', ['a/b/c'], '"a/b/c" is not the name of a Service: give NAME or NAMESPACE/NAME'],
    [
      'a setting that is none',
      ['--managed-by', 'a b', 'shop/web'],
      '--managed-by: "a b" is not a label value',
    ],
  ])('tells of %s', async (_, args, message) => {
    await expect(explain(...args)).rejects.toThrow(message)
  })
})

describe('sliceflow status', () => {
  it('fails when something is wrong, and says what', async () => {
    const before = process.exitCode
    onTestFinished(() => {
      process.exitCode = before
    })
    const text = await status('--check', '-o', 'json')
    expect(process.exitCode).toBe(1)
    expect(JSON.parse(text)).toMatchObject({
      version: 1,
      healthy: false,
      problems: [
        expect.stringMatching(/^cluster sliceflow: 1 Service out of date: shop\/web \(would create web-/),
      ],
      clusters: [{ name: 'sliceflow', reachable: true, services: 1, slices: 0 }],
    })
  })

  it.each([
    ['a cluster that there is not', ['--context', 'mars'], 'has no context "mars"'],
    [
      'what is no URL',
      ['--relay', '127.0.0.1:9090'],
      '--relay: "127.0.0.1:9090" is neither the URL of a run',
    ],
    ['a sample that is no number', ['--sample', 'many'], 'It must be a whole number'],
  ])('tells of %s', async (_, args, message) => {
    await expect(status(...args)).rejects.toThrow(message)
  })
})

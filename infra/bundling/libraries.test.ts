import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Metafile } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleCommand, bundleLibraries, exportedLibraries } from './index.ts'

const MANIFEST = fileURLToPath(new URL('../../package.json', import.meta.url))
/** Optional in packages that are bundled, which do without. */
const OPTIONAL = new Set(['bufferutil', 'canvas', 'supports-color', 'utf-8-validate'])

let folder: string
let libraries: readonly Metafile[]
let command: readonly Metafile[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sliceflow-libraries-'))
  libraries = await bundleLibraries(folder)
  command = await bundleCommand(join(folder, 'cli'))
}, 120_000)
afterAll(() => rm(folder, { recursive: true }))

const outputsOf = (bundles: readonly Metafile[]): Metafile['outputs'][string][] =>
  bundles.flatMap(({ outputs }) => Object.values(outputs))

/** Returns the names of the packages that bundles import from beside them. */
function importedBy(bundles: readonly Metafile[]): Set<string> {
  const paths = outputsOf(bundles).flatMap(({ imports }) =>
    imports.filter(({ external }) => external === true).map(({ path }) => path),
  )
  const packages = paths.filter((path) => /^[@\w]/.test(path) && !isBuiltin(path) && !OPTIONAL.has(path))
  return new Set(packages.map((path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path))
}

it('finds the libraries that package.json exports', async () => {
  expect([...(await exportedLibraries()).keys()].sort()).toEqual([
    'control-plane',
    'endpointslice',
    'infra',
    'views',
  ])
})

it('leaves to those who install the package only what package.json names', async () => {
  const { dependencies, peerDependencies } = JSON.parse(await readFile(MANIFEST, 'utf8'))
  const named = new Set(Object.keys({ ...dependencies, ...peerDependencies }))
  expect(importedBy(libraries).difference(named)).toEqual(new Set())
  expect(importedBy(command).difference(named)).toEqual(new Set())
})

it('has in the constructs nothing of the runtime', () => {
  const constructs = outputsOf(libraries).filter(({ entryPoint }) => entryPoint?.startsWith('infra/'))
  expect(constructs).toHaveLength(1)
  const foreign = /node_modules\/(@aws-sdk|@smithy|@kubernetes|@middy|fastify|fauxqs|prom-client)\//
  const inputs = constructs.flatMap(({ inputs }) => Object.keys(inputs))
  expect(inputs.filter((file) => foreign.test(file))).toEqual([])
  expect(importedBy([{ inputs: {}, outputs: { constructs: constructs[0] ?? expect.fail() } }])).toEqual(
    new Set(['aws-cdk-lib', 'constructs', 'zod']),
  )
})

it('bundles the embedded queue, which serves without its package', async () => {
  const { buildApp } = await import(pathToFileURL(join(folder, 'cli/chunks/queue/app.js')).href)
  const app = buildApp({ logger: false })
  const answer = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.CreateQueue' },
    payload: JSON.stringify({ QueueName: 'live' }),
  })
  expect(JSON.parse(answer.body).QueueUrl).toMatch(/\/live$/)
  await app.close()
})

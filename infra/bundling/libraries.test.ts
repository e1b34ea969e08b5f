import { readdir, readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Metafile } from 'esbuild'
import { beforeAll, expect, it } from 'vitest'
import { sharedFolder } from '../../test/support/temporary-folder.ts'
import { bundleCommand, bundleLibrary, exportedLibraries } from './index.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Optional in packages that are bundled, which do without. */
const OPTIONAL = new Set(['bufferutil', 'canvas', 'supports-color', 'utf-8-validate'])

const libraries = await exportedLibraries()
/** Bundles of the libraries, by their names. */
const bundles = new Map<string, readonly Metafile[]>()
const folder = sharedFolder()
let command: readonly Metafile[]

beforeAll(async () => {
  for (const library of libraries)
    bundles.set(library.name, await bundleLibrary(library, join(folder, library.name)))
  command = await bundleCommand(join(folder, 'cli'))
}, 120_000)

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

/** Returns the names of what the users of a package install with it. */
async function installedWith(manifest: string): Promise<Set<string>> {
  const text = await readFile(join(root, manifest, 'package.json'), 'utf8')
  const { dependencies, peerDependencies } = JSON.parse(text)
  return new Set(Object.keys({ ...dependencies, ...peerDependencies }))
}

it('finds the libraries that package.json and the workspaces export', () => {
  expect(libraries).toContainEqual({
    name: 'sliceflow/infra',
    manifest: '.',
    sources: 'infra/constructs',
    built: 'dist/infra/constructs',
  })
  expect(libraries).toContainEqual({
    name: '@sliceflow/views',
    manifest: 'shared/views',
    sources: 'shared/views',
    built: 'dist',
  })
  expect(libraries).toHaveLength(5)
})

it.each(libraries)('$name asks its users for what its package.json names', async ({ name, manifest }) => {
  const named = await installedWith(manifest)
  const imported = importedBy(bundles.get(name) ?? [])
  expect(imported.difference(named)).toEqual(new Set())
  if (manifest === '.') return
  // Some of them are loaded by `require`, where they are used.
  const files = (await readdir(join(folder, name))).filter((file) => file.endsWith('.js'))
  const texts = await Promise.all(files.map((file) => readFile(join(folder, name, file), 'utf8')))
  expect([...named].filter((dependency) => !texts.some((text) => text.includes(`"${dependency}`)))).toEqual(
    [],
  )
})

it('the command asks for what package.json names', async () => {
  expect(importedBy(command).difference(await installedWith('.'))).toEqual(new Set())
})

it('has in the constructs nothing of the runtime', () => {
  const constructs = bundles.get('sliceflow/infra') ?? []
  const foreign = /node_modules\/(@aws-sdk|@smithy|@kubernetes|@middy|fastify|fauxqs|prom-client)\//
  const inputs = outputsOf(constructs).flatMap(({ inputs }) => Object.keys(inputs))
  expect(inputs.length).toBeGreaterThan(10)
  expect(inputs.filter((file) => foreign.test(file))).toEqual([])
  expect(importedBy(constructs)).toEqual(new Set(['aws-cdk-lib', 'constructs', 'valibot', 'yaml']))
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

import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exportedLibraries, type Library } from '../../infra/bundling/index.ts'
import { API_REPORT } from '../../infra/packaging/index.ts'
import { checkTypes, lintManifest } from './check-exports.ts'
import { docExamples, moduleOf } from './doc-examples.ts'
import { createProject, type Installed, install, type Project, ROOT } from './installed.ts'
import { BUNDLED, EXAMPLES, SERVER } from './programs.ts'
import { describeSliceflow } from './sliceflow-package.ts'
import { STRICTEST } from './strictest.ts'

/** Pages whose whole programs must hold as well. */
const PAGES = ['control-plane', 'control-plane/admission', 'control-plane/controllers', 'simulation'].map(
  (folder) => `shared/${folder}/README.md`,
)
const PROGRAM = /^```ts\n(import [\s\S]*?)^```$/gm

/** What client-node asks of @types/ws, which it does not bring. */
const WS = `declare module 'ws' {
  class WebSocket {}
  namespace WebSocket {
    export type ClientOptions = object
    export type Data = unknown
    export { WebSocket }
  }
  export = WebSocket
}
`

/** What the compiler refuses, a line each, and the types that it names. */
const WRONG = `import type { V1EndpointSlice, V1Pod, V1PodList } from '@kubernetes/client-node'
import { plan, type SliceClient } from '@sliceflow/endpointslice'
declare const list: V1PodList
declare const pods: V1Pod[]
const rest = { service: {}, nodes: [], slices: [] }
plan({ ...rest, pods: list })
plan({ ...rest, pods: [{ metadata: { creationTimestamp: 7 } }] })
plan({ ...rest, pods, slices: pods })
export const client: SliceClient<V1EndpointSlice> = { create: async (slice: V1Pod) => slice }
`
const WRONG_WORDS: readonly (readonly [number, string])[] = [
  [6, "'V1PodList' is missing .*'readonly AnyPod\\[\\]'"],
  [7, "'number' is not assignable to type 'string | Date'"],
  [
    8,
    "'V1Pod' is missing .*'AnyEndpointSlice'|'V1Pod\\[\\]' is not assignable to type 'readonly AnyEndpointSlice",
  ],
  [9, 'slice: V1Pod.*slice: V1EndpointSlice'],
]

const libraries = await exportedLibraries()
const manifests = libraries.map(({ manifest }) => manifest)
const manifestsOfLibraries = manifests.filter((manifest) => manifest !== '.')
const reportOf = ({ sources }: Pick<Library, 'sources'>): string => join(project.folder, 'reports', sources)
const files = ['server.ts', 'example.ts']
let project: Project
let installed: ReadonlyMap<string, Installed>

beforeAll(async () => {
  project = await createProject()
  for (const library of libraries) await mkdir(reportOf(library), { recursive: true })
  installed = await install(project, manifests, reportOf)
  await project.write('server.ts', SERVER)
  const example = await readFile(join(ROOT, 'examples/control-plane.ts'), 'utf8')
  await project.write(
    'example.ts',
    example.replace('../shared/control-plane/index.ts', '@sliceflow/control-plane'),
  )
  await writeClient()
  for (const page of PAGES) {
    const shown = [...(await readFile(join(ROOT, page), 'utf8')).matchAll(PROGRAM)]
    expect(shown, page).not.toEqual([])
    for (const [, content = ''] of shown) {
      files.push(`page${files.length}.ts`)
      await project.write(files.at(-1) ?? '', content)
    }
  }
}, 240_000)
afterAll(() => project?.[Symbol.asyncDispose]())

/** Writes the example of a controller and what is wrong, in a folder that alone has client-node. */
async function writeClient(): Promise<void> {
  const scope = join(project.folder, 'client/node_modules/@kubernetes')
  await mkdir(scope, { recursive: true })
  await symlink(join(ROOT, 'node_modules/@kubernetes/client-node'), join(scope, 'client-node'))
  const example = await readFile(join(ROOT, 'examples/controller.ts'), 'utf8')
  const text = example.replace('../shared/endpointslice/index.ts', '@sliceflow/endpointslice')
  for (const [name, content] of Object.entries({
    'controller.ts': text,
    'ws.d.cts': WS,
    'wrong.ts': WRONG,
  })) {
    files.push(`client/${name}`)
    await project.write(`client/${name}`, content)
  }
}

it('the control plane serves, with what it loads only when that is used', async () => {
  expect(JSON.parse(await project.run('server.ts'))).toEqual({
    created: 201,
    refused: 422,
    openapi: 200,
    apiService: 201,
  })
})

it('each function and class that they export has an example, which does what it says; it and the pages hold with the strictest options, and wrong objects do not', async () => {
  for (const { sources, name } of libraries.filter(({ manifest }) => manifest !== '.')) {
    const exported: Record<string, unknown> = await import(join(ROOT, sources, 'index.ts'))
    const examples = new Map([
      ...(await docExamples(join(ROOT, 'shared'))),
      ...(await docExamples(join(ROOT, sources))),
    ])
    const callable = Object.keys(exported).filter((key) => typeof exported[key] === 'function')
    expect(
      callable.filter((key) => !examples.get(key)),
      `without an @example in ${sources}`,
    ).toEqual([])
    for (const key of callable) {
      const file = `example-${basename(sources)}-${key}.ts`
      await project.write(
        file,
        moduleOf(examples.get(key) ?? '', { exports: Object.keys(exported), library: name }),
      )
      files.push(file)
    }
  }
  const compiled = project.compile({ compilerOptions: { ...STRICTEST, module: 'nodenext' }, files })
  const said = await compiled.then(() => '', String)
  const places = said.match(/^.*error TS.*$/gm)?.map((error) => /[^/]*\(\d+/.exec(error)?.[0] ?? error)
  expect(places).toEqual(WRONG_WORDS.map(([line]) => `wrong.ts(${line}`))
  for (const [line, words] of WRONG_WORDS) expect(said).toMatch(new RegExp(`wrong.ts\\(${line},.*${words}`))
  await project.write('examples.ts', EXAMPLES)
  expect(JSON.parse((await project.run('examples.ts')).split('\n').at(-2) ?? '')).toEqual([])
}, 240_000)

it.each(['cjs', 'esm'] as const)(
  'a program runs that is bundled as %s, and as the pages say',
  async (format) => {
    const pages = manifestsOfLibraries.map((manifest) => readFile(join(ROOT, manifest, 'README.md'), 'utf8'))
    const flags = (await Promise.all(pages)).flatMap((page) => [...page.matchAll(/--external:([@/\w-]+)/g)])
    const file = `bundled.${format === 'cjs' ? 'cjs' : 'mjs'}`
    await project.write('bundled.ts', BUNDLED)
    await build({
      absWorkingDir: project.folder,
      entryPoints: ['bundled.ts'],
      outfile: file,
      bundle: true,
      platform: 'node',
      format,
      external: flags.map(([, name = '']) => name),
    })
    expect(JSON.parse(await project.run(file))).toEqual({
      clusters: 1,
      controllers: 1,
      hasProtobuf: true,
      hasWrites: true,
      slices: 0,
    })
  },
  60_000,
)

const packed = (manifest: string): Installed =>
  installed.get(manifest) ?? expect.fail(`${manifest} is not installed`)

describe.each(manifestsOfLibraries)('the package of %s', (manifest) => {
  const packageOf = (): Installed => packed(manifest)

  it('holds its page and what is built, and nothing that only tests and this repository need', async () => {
    const brought = await readdir(packageOf().folder, { recursive: true })
    const own = brought.filter((file) => !file.startsWith('node_modules'))
    expect(own).toEqual(
      expect.arrayContaining(['README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']),
    )
    expect(
      own.filter((file) => /(^|\/)test(ing)?(\/|$)|fixtures|\.api\.md|(?<!\.d)\.ts$/.test(file)),
    ).toEqual([])
  })

  it('has a manifest that names what there is, as Node and bundlers resolve it', async () => {
    expect(await lintManifest(packageOf().folder)).toEqual([])
  })
})

it('a library has types for every way to resolve modules, but those that know no exports or no ES modules', async () => {
  // One of each, so that the check is known to look. All libraries have this form: see workspaces.test.ts.
  expect((await checkTypes(packed('shared/endpointslice').tarball)).toSorted()).toEqual([
    'CJSResolvesToESM . (node16-cjs)',
    'NoResolution . (node10)',
  ])
}, 60_000)

it('libraries export what the report beside each says; UPDATE=1 writes it there', async () => {
  for (const library of libraries) {
    const report = await readFile(join(reportOf(library), API_REPORT), 'utf8')
    const page = join(ROOT, library.sources, API_REPORT)
    if (process.env.UPDATE === '1') await writeFile(page, report)
    expect(report, page).toBe(await readFile(page, 'utf8'))
  }
}, 120_000)

describeSliceflow(() => ({ project, packed: packed('.') }))

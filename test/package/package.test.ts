import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { reportExports } from '../../infra/packaging/index.ts'
import { checkTypes, lintManifest } from './check-exports.ts'
import { installPackage, type Program, ROOT } from './installed.ts'
import { DEPLOYMENT, LIBRARIES, SERVER } from './programs.ts'

/** Pages whose whole programs must hold as well. */
const PAGES = ['', 'admission/', 'controllers/'].map((folder) => `shared/control-plane/${folder}README.md`)
/** A report of each library, which shows in a review what a change does to those who import it. */
const API = join(ROOT, 'docs/api')
const PROGRAM = /^```ts\n(import [\s\S]*?)^```$/gm
/** Declarations of others are checked as well. */
const STRICTEST = {
  target: 'es2024',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
  noEmit: true,
}

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
import { plan, type SliceClient } from 'sliceflow/endpointslice'
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

let program: Program
const files = ['libraries.ts', 'server.ts', 'example.ts']

beforeAll(async () => {
  program = await installPackage()
  await program.write('libraries.ts', LIBRARIES)
  await program.write('server.ts', SERVER)
  await program.write('deployment.ts', DEPLOYMENT)
  const example = await readFile(join(ROOT, 'examples/control-plane.ts'), 'utf8')
  await program.write(
    'example.ts',
    example.replace('../shared/control-plane/index.ts', 'sliceflow/control-plane'),
  )
  for (const page of PAGES) {
    const shown = [...(await readFile(join(ROOT, page), 'utf8')).matchAll(PROGRAM)]
    expect(shown, page).not.toEqual([])
    for (const [, content = ''] of shown) {
      files.push(`page${files.length}.ts`)
      await program.write(files.at(-1) ?? '', content)
    }
  }
}, 240_000)
afterAll(() => program?.remove())

const RESOLUTIONS = [
  ['nodenext', 'nodenext'],
  ['preserve', 'bundler'],
]
it.each(RESOLUTIONS)(
  'its declarations hold in a program with the strictest options, module %s and resolution %s',
  async (module, moduleResolution) => {
    await program.compile({ compilerOptions: { ...STRICTEST, module, moduleResolution }, files })
  },
  60_000,
)

it('its constructs hold in an app with strict options', async () => {
  // CDK's own declarations do not hold with the strictest.
  const compilerOptions = { ...STRICTEST, exactOptionalPropertyTypes: false, skipLibCheck: true }
  await program.compile({
    compilerOptions: { ...compilerOptions, module: 'nodenext' },
    files: ['deployment.ts'],
  })
}, 60_000)

it('its libraries plan, write and show views', async () => {
  expect(JSON.parse(await program.run('libraries.ts'))).toEqual({
    planned: [['10.0.0.5']],
    written: ['web'],
    clusters: [{ name: 'eu-1', server: 'https://127.0.0.1:6443/' }],
    views: ['web-80'],
  })
})

it('its control plane serves, with what it loads only when that is used', async () => {
  expect(JSON.parse(await program.run('server.ts'))).toEqual({
    created: 201,
    refused: 422,
    openapi: 200,
    apiService: 201,
  })
})

it('its constructs deploy the bundles that it brings', async () => {
  for (const name of ['reconcile', 'audit', 'view-publisher', 'relay']) {
    const bundle = join(program.installed, 'dist/bundles', name)
    await mkdir(bundle, { recursive: true })
    await writeFile(join(bundle, name === 'relay' ? 'main.mjs' : 'index.mjs'), '')
    if (name === 'relay') await writeFile(join(bundle, 'Dockerfile'), 'FROM scratch\n')
  }
  expect(JSON.parse(await program.run('deployment.ts'))).toEqual({ queues: 4, services: 1 })
})

it('its command plans, and finds the files of the package', async () => {
  const service = {
    metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
    spec: { clusterIP: '10.96.0.7', ports: [{ port: 80 }] },
  }
  const plan = await program.sliceflow(['plan'], JSON.stringify({ id: 1, service, pods: [] }))
  expect(JSON.parse(plan)).toMatchObject({ id: 1, create: [{ metadata: { namespace: 'shop' } }] })
  expect(await program.sliceflow(['rbac'])).toContain('kind: ClusterRole')
  expect(await program.sliceflow(['--help'])).toContain('control-plane')
})

it('it holds nothing that only tests and this repository need', async () => {
  const built = await readdir(join(program.installed, 'dist'), { recursive: true })
  expect(built.filter((file) => /(^|\/)testing(\/|$)|\.test\.|fixtures|\/generate\./.test(file))).toEqual([])
})

it('its manifest names what there is, as Node and bundlers resolve it', async () => {
  expect(await lintManifest(program.installed)).toEqual([])
})

it('every way to resolve modules finds its types, but for those that know no exports or no ES modules', async () => {
  const problems = await checkTypes(program.installed)
  const isKnown = /^NoResolution .* \(node10\)$|^CJSResolvesToESM .* \(node16-cjs\)$/
  expect(problems.filter((problem) => !isKnown.test(problem))).toEqual([])
  // Of each of its four libraries, so that the check is known to look.
  expect(problems.filter((problem) => isKnown.test(problem))).toHaveLength(8)
}, 60_000)

it('its libraries export what docs/api says; UPDATE=1 writes it there', async () => {
  const reports = process.env.UPDATE === '1' ? API : join(program.folder, 'reports')
  await mkdir(reports, { recursive: true })
  await reportExports(program.declarations, reports)
  const pages = (await readdir(API)).sort()
  expect((await readdir(reports)).sort()).toEqual(pages)
  for (const page of pages)
    expect(await readFile(join(reports, page), 'utf8'), page).toBe(await readFile(join(API, page), 'utf8'))
}, 120_000)

it('the example of a controller compiles in an empty project, however strict it is', async () => {
  const scope = join(program.folder, 'node_modules/@kubernetes')
  await mkdir(scope)
  await symlink(join(ROOT, 'node_modules/@kubernetes/client-node'), join(scope, 'client-node'))
  const example = await readFile(join(ROOT, 'examples/controller.ts'), 'utf8')
  const text = example.replace('../shared/endpointslice/index.ts', 'sliceflow/endpointslice')
  await program.write('controller.ts', text)
  await program.write('ws.d.cts', WS)
  const options = { target: 'es2024', module: 'nodenext', types: ['node'], noEmit: true, strict: true }
  const programs = [
    { skipLibCheck: true },
    { skipLibCheck: true, exactOptionalPropertyTypes: true },
    { skipLibCheck: false },
    { skipLibCheck: false, exactOptionalPropertyTypes: true },
  ]
  for (const more of programs)
    await program.compile({
      compilerOptions: { ...options, ...more },
      files: ['controller.ts', ...(more.skipLibCheck ? [] : ['ws.d.cts'])],
    })

  await program.write('wrong.ts', WRONG)
  const compilerOptions = { ...options, exactOptionalPropertyTypes: true, skipLibCheck: true }
  const compiled = program.compile({ compilerOptions, files: ['wrong.ts'] })
  const said = await compiled.then(() => '', String)
  for (const [line, words] of WRONG_WORDS) expect(said).toMatch(new RegExp(`wrong.ts\\(${line},.*${words}`))
}, 120_000)

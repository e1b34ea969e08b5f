import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
/** The libraries of the package that need no AWS CDK. */
const LIBRARIES = ['control-plane', 'endpointslice', 'views']
/** Pages whose whole programs must hold as well. */
const PAGES = ['', 'admission/', 'controllers/'].map((folder) => `shared/control-plane/${folder}README.md`)
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

const run = promisify(execFile)
/** Where a program of somebody else would be, with the package in its node_modules. */
let program: string
const files = ['all.ts', 'example.ts']

beforeAll(async () => {
  program = await mkdtemp(join(tmpdir(), 'sliceflow-package-'))
  const installed = join(program, 'node_modules/sliceflow')
  await mkdir(installed, { recursive: true })
  await cp(join(ROOT, 'package.json'), join(installed, 'package.json'))
  // Without @types/ws and others that only this repository has.
  await mkdir(join(program, 'node_modules/@types'))
  await symlink(join(ROOT, 'node_modules/@types/node'), join(program, 'node_modules/@types/node'))
  await symlink(join(ROOT, 'node_modules'), join(installed, 'node_modules'))
  await compile({
    extends: join(ROOT, 'tsconfig.build.json'),
    compilerOptions: {
      rootDir: ROOT,
      outDir: join(installed, 'dist'),
      sourceMap: false,
      // `npm run types` does that.
      noCheck: true,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: [],
    files: LIBRARIES.map((library) => join(ROOT, 'shared', library, 'index.ts')),
  })
  await writeFile(join(program, 'package.json'), JSON.stringify({ type: 'module' }))
  const example = await readFile(join(ROOT, 'examples/control-plane.ts'), 'utf8')
  const imports = LIBRARIES.map(
    (library, index) => `import * as library${index} from 'sliceflow/${library}'\n`,
  )
  const names = LIBRARIES.map((_, index) => `library${index}`)
  await writeFile(join(program, 'all.ts'), `${imports.join('')}console.log(${names.join(', ')})\n`)
  for (const page of PAGES) {
    const shown = [...(await readFile(join(ROOT, page), 'utf8')).matchAll(PROGRAM)]
    expect(shown, page).not.toEqual([])
    for (const [, content = ''] of shown) {
      files.push(`page${files.length}.ts`)
      await writeFile(join(program, files.at(-1) ?? ''), content)
    }
  }
  await writeFile(
    join(program, 'example.ts'),
    example.replace('../shared/control-plane/index.ts', 'sliceflow/control-plane'),
  )
}, 120_000)
afterAll(() => rm(program, { recursive: true }))

async function compile(options: object): Promise<void> {
  const file = join(program, 'tsconfig.json')
  await writeFile(file, JSON.stringify(options))
  const { stdout } = await run(execPath, [TSC, '-p', file]).catch((error: { stdout?: string }) => {
    throw new Error(`failed to compile: ${error.stdout}`)
  })
  expect(stdout).toBe('')
}

test.each([
  ['nodenext', 'nodenext'],
  ['preserve', 'bundler'],
])(
  'its declarations hold in a program with the strictest options, module %s and resolution %s',
  async (module, moduleResolution) => {
    await compile({
      compilerOptions: { ...STRICTEST, module, moduleResolution },
      files,
    })
  },
  60_000,
)

test('what is compiled of it serves', async () => {
  await writeFile(
    join(program, 'serve.ts'),
    `import { startDatabases } from './example.ts'
const controlPlane = await startDatabases('kubeconfig', 'data')
await controlPlane.close()
await import('sliceflow/endpointslice')
await import('sliceflow/views')
console.log('served')
`,
  )
  const { stdout } = await run(execPath, ['serve.ts'], { cwd: program })
  expect(stdout).toBe('served\n')
}, 60_000)

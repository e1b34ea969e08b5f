import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ROOT } from './installed.ts'

interface Manifest {
  readonly name: string
  readonly version?: string
  readonly type?: string
  readonly exports?: object
  readonly private?: boolean
  readonly license?: string
  readonly workspaces?: readonly string[]
  readonly engines?: object
  readonly publishConfig?: object
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

interface SourceFile {
  readonly file: string
  /** Folder of the manifest that it belongs to. */
  readonly owner: string
  readonly isTest: boolean
  readonly imports: readonly string[]
}

const IMPORT = /^(?:import|export)\s+(type\s)?(?:[^';]*?\sfrom\s+)?'([^'\n]+)'/gm
const LAZY_IMPORT = /\b(?:import|load)\('([^'\n]+)'\)/g
const TEST = /\.(test|fixtures|arbitraries)\.ts$|(^|\/)(test|testing|testdata)\//

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
const ours = manifestIn('.')
const { workspaces = [] } = ours
const manifests = new Map(['.', ...workspaces].map((folder) => [folder, manifestIn(folder)]))
/** Folders of what others install by itself. */
const packages = workspaces.filter((folder) => manifests.get(folder)?.private !== true)

/** Finds the manifest of a file: the nearest above it. */
const ownerOf = (file: string): string =>
  workspaces.filter((folder) => file.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length)[0] ?? '.'

const files: readonly SourceFile[] = ['cli', 'examples', 'functions', 'infra', 'shared', 'test'].flatMap(
  (folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/(^|\/)(dist|node_modules|cdk\.out)\//.test(file))
      .map((file) => sourceFile(`${folder}/${file}`)),
)

function sourceFile(file: string): SourceFile {
  const text = readFileSync(join(ROOT, file), 'utf8')
  // Where only types of a package are imported, the declarations that are built contain them.
  const found = [...text.matchAll(IMPORT)].flatMap(([, isType, specifier = '']) =>
    isType === undefined || specifier.startsWith('.') ? [specifier] : [],
  )
  const lazy = [...text.matchAll(LAZY_IMPORT)].map(([, specifier = '']) => specifier)
  const imports = [...found, ...lazy].map((specifier) =>
    specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier,
  )
  return { file, owner: ownerOf(file), isTest: TEST.test(file), imports }
}

const isOurs = (path: string): boolean => /^(cli|examples|functions|infra|shared|test)\//.test(path)

describe.each(packages)('the workspace %s', (folder) => {
  const manifest = manifestIn(folder)
  const own = files.filter(({ owner }) => owner === folder)
  const named = (all: Readonly<Record<string, string>> = {}): ReadonlySet<string> => new Set(Object.keys(all))

  it('is a package like ours, with a page and a report of what it exports', () => {
    const { version, type, license, engines, publishConfig } = ours
    expect(manifest).toMatchObject({ version, type, license, engines, publishConfig })
    expect(manifest.exports).toEqual({
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    })
    expect(manifest.name).toBe(`@sliceflow/${folder.split('/').at(-1)}`)
    expect(readdirSync(join(ROOT, folder))).toEqual(expect.arrayContaining(['README.md', 'index.api.md']))
    expect(manifest.scripts?.test).toBe(`vitest run --root ../.. --project unit ${folder}/`)
  })

  it('has the versions of our own dependencies', () => {
    expect(ours.dependencies).toMatchObject(manifest.dependencies ?? {})
  })

  it('imports of ours itself, and the faces of workspaces that its manifest names', () => {
    expect(own.length).toBeGreaterThan(10)
    const names = named({ ...manifest.dependencies, ...manifest.devDependencies })
    const others = own.flatMap(({ file, isTest, imports }) =>
      imports
        .filter((path) => isOurs(path) && ownerOf(path) !== folder)
        .map((path) => ({ file, isTest, path })),
    )
    const wrong = others.filter(({ isTest, path }) => {
      const owner = ownerOf(path)
      if (!names.has(manifests.get(owner)?.name ?? '')) return true
      return !isTest && !/^shared\/(?:[^/]+\/)?index\.ts$/.test(path)
    })
    expect(wrong).toEqual([])
    // None of them is named in vain.
    const used = new Set(others.map(({ path }) => manifests.get(ownerOf(path))?.name))
    expect(named(manifest.devDependencies)).toEqual(used)
  })

  it('imports in its sources no package that its manifest does not name', () => {
    const imported = own
      .filter(({ isTest }) => !isTest)
      .flatMap(({ imports }) => imports)
      .filter((path) => /^@?[a-z]/.test(path) && !path.startsWith('node:') && !isOurs(path))
      .map((path) =>
        path
          .split('/')
          .slice(0, path.startsWith('@') ? 2 : 1)
          .join('/'),
      )
    expect(new Set(imported).difference(named(manifest.dependencies))).toEqual(new Set())
  })
})

it('the tests of a package stand inside of it', () => {
  const byName = new Map(files.map((source) => [source.file, source]))
  /** Collects the manifests that a test leads to, through what stands in its own folders. */
  function reached(file: string, way: Set<string> = new Set()): Set<string> {
    const { owner, imports } = byName.get(file) ?? expect.fail(`${file} is not there`)
    way.add(file)
    const next = imports.filter((path) => isOurs(path) && !way.has(path))
    const owners = next.filter((path) => ownerOf(path) !== owner || !path.startsWith('test/')).map(ownerOf)
    const inside = next.filter((path) => ownerOf(path) === owner && path.startsWith('test/'))
    return new Set([...owners, ...inside.flatMap((path) => [...reached(path, way)])])
  }
  const helpers = new Set(['test/cluster', 'test/support'])
  // Benchmarks stand together, and the tests of helpers with these.
  const tests = files.filter(({ file }) =>
    /^test\/(?!bench\/|support\/|cluster\/servers\.).*\.test\.ts$/.test(file),
  )
  expect(tests.length).toBeGreaterThan(50)
  const misplaced = tests.flatMap(({ file }) => {
    const [only, ...others] = reached(file).difference(helpers)
    return others.length === 0 && packages.includes(only ?? '') ? [{ file, of: only }] : []
  })
  expect(misplaced).toEqual([])
})

it('the main job’s libraries are tested without those of packages', async () => {
  const [, ...flags] = manifestIn('shared').scripts?.test?.replaceAll("'", '').split(' run ') ?? []
  const args = ['vitest', 'list', '--filesOnly', ...flags.join().split(' ')]
  const { stdout } = await promisify(execFile)('npx', args, { cwd: join(ROOT, 'shared') })
  const owners = new Set(stdout.match(/\bshared\/\S+/g)?.map(ownerOf))
  expect(owners).toEqual(new Set(['shared']))
})

import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { ROOT } from './installed.ts'

const LINK = /\]\(([^)#\s]+)(?:#[^)]*)?\)/g
/** A source that is named without a link, by a path from some folder of the repository. */
const SOURCE = /`([\w@./-]+\.ts)`/g

/** Size that nobody wants to download by accident. */
const LARGEST_BYTES = 200_000

/** Every file of the package but those that a build makes, and where its pages lead to, from the root. */
let packed: string[]
let sizes: ReadonlyMap<string, number>
const links: { readonly page: string; readonly target: string }[] = []

beforeAll(async () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const { stdout } = await promisify(execFile)('npm', args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 })
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string; size: number }[] }]
  sizes = new Map(files.map(({ path, size }) => [path, size]))
  packed = files.map(({ path }) => path).filter((path) => !path.startsWith('dist/'))
  for (const page of packed.filter((path) => path.endsWith('.md'))) {
    for (const [, link = ''] of (await readFile(join(ROOT, page), 'utf8')).matchAll(LINK))
      if (!/^https?:/.test(link)) links.push({ page, target: normalize(join(dirname(page), link)) })
  }
})

it('no link of a page leads nowhere', () => {
  expect(links.length).toBeGreaterThan(50)
  expect(links.filter(({ target }) => !existsSync(join(ROOT, target)))).toEqual([])
})

it('every source that a page names is there', async () => {
  const sources = globSync('{cli,docs,examples,functions,infra,shared,test}/**/*.ts', {
    cwd: ROOT,
    exclude: (name) => name === 'node_modules',
  }).map((file) => `/${file}`)
  const gone: string[] = []
  for (const page of packed.filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md'))
    for (const [, source = ''] of (await readFile(join(ROOT, page), 'utf8')).matchAll(SOURCE))
      if (!sources.some((file) => file.endsWith(`/${source}`))) gone.push(`${page}: ${source}`)
  expect(gone).toEqual([])
})

it('the package brings every page, example and file of rules that its pages lead to', () => {
  const isBrought = /\.md$|^examples\/|^infra\/(helm|image|kustomize|prometheus|rbac|runbooks|systemd)\//
  const missing = links.filter(
    ({ target }) => isBrought.test(target) && !packed.some((path) => path.startsWith(target)),
  )
  expect(missing).toEqual([])
})

it('the package brings no tests', () => {
  expect(
    packed.filter((path) => /^(?!test\/.*\.md$)test\/|\.test\.ts$|testdata|fixtures/.test(path)),
  ).toEqual([])
})

it('of its sources the package brings examples alone, and no file that begins with a dot', () => {
  const isSource = /^(?!examples\/).*\.[cm]?[jt]sx?$/
  expect(packed.filter((path) => isSource.test(path) || /(^|\/)\.(?!helmignore$)/.test(path))).toEqual([])
  expect(packed.filter((path) => /(^|\/)(\.env|.*\.(pem|key|kubeconfig|log|tgz))$/.test(path))).toEqual([])
  expect(packed).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json']))
})

it('the package brings no large file beside what a build makes', () => {
  expect(packed.filter((path) => (sizes.get(path) ?? 0) > LARGEST_BYTES)).toEqual([])
})

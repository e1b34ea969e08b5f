import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './installed.ts'

interface Import {
  readonly file: string
  readonly target: string
}

const SPECIFIER = /(?:from|import\(?)\s*'(\.\.?\/[^']+)'/g

/** Sources of the product, without their tests. */
const files = ['functions', 'infra', 'shared'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(?!.*\.(test|fixtures|arbitraries)\.ts$).*\.ts$/.test(file))
    .map((file) => `${folder}/${file}`)
    .filter((file) => !file.includes('/testing/') && !file.includes('node_modules')),
)
const imports: readonly Import[] = files.flatMap((file) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(SPECIFIER)].map(([, specifier = '']) => ({
    file,
    target: normalize(join(dirname(file), specifier)),
  })),
)

/** Returns the imports of files in one folder that lead to another one, without those that are allowed. */
const from = (folder: string, to: RegExp, but: RegExp = /^$/): readonly Import[] =>
  imports.filter(({ file, target }) => file.startsWith(folder) && to.test(target) && !but.test(target))

it('imports point one way: infra to functions to shared', () => {
  expect(imports.length).toBeGreaterThan(1_000)
  expect(from('shared/', /^(functions|infra|test)\//)).toEqual([])
  expect(from('functions/', /^(infra|test)\//)).toEqual([])
  expect(from('infra/', /^test\//)).toEqual([])
})

it('the control plane is a package of its own: of all else it takes the API client alone', () => {
  expect(from('shared/control-plane/', /^/, /^shared\/(control-plane\/|kubernetes\/index\.ts$)/)).toEqual([])
})

it('others see of the control plane what it exports', () => {
  const inside = /^shared\/control-plane\/(?!index\.ts$)/
  const others = imports.filter(({ file }) => !file.startsWith('shared/control-plane/'))
  expect(others.filter(({ target }) => inside.test(target))).toEqual([])
})

it('the planning library imports nothing of ours', () => {
  expect(from('shared/endpointslice/', /^/, /^shared\/endpointslice\//)).toEqual([])
})

/** `shared/queue` of `shared/queue/sender.ts`: a folder with one public face. */
const folderOf = (file: string): string => file.split('/').slice(0, 2).join('/')

it('no circle leads through folders, types included', () => {
  const edges = Map.groupBy(
    imports.filter(({ file, target }) => folderOf(file) !== folderOf(target)),
    ({ file }) => folderOf(file),
  )
  const targets = (folder: string): string[] => [
    ...new Set(edges.get(folder)?.map(({ target }) => folderOf(target))),
  ]
  /** Returns the first way from a folder back to itself. */
  function circleFrom(
    start: string,
    way: readonly string[] = [start],
    seen = new Set<string>(),
  ): readonly string[] {
    for (const next of targets(way.at(-1) ?? start)) {
      if (next === start) return [...way, next]
      if (seen.has(next)) continue
      seen.add(next)
      const circle = circleFrom(start, [...way, next], seen)
      if (circle.length > 0) return circle
    }
    return []
  }
  expect(edges.size).toBeGreaterThan(30)
  expect([...edges.keys()].map((folder) => circleFrom(folder)).filter(({ length }) => length > 0)).toEqual([])
})

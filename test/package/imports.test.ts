import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { productFiles, textOf } from './product-files.ts'

interface Import {
  readonly file: string
  readonly target: string
}

const SPECIFIER = /(?:from|import\(?)\s*'(\.\.?\/[^']+)'/g

const imports: readonly Import[] = productFiles.flatMap((file) =>
  [...textOf(file).matchAll(SPECIFIER)].map(([, specifier = '']) => ({
    file,
    target: normalize(join(dirname(file), specifier)),
  })),
)

/** Returns the imports of files in one folder that lead to another one, without those that are allowed. */
const from = (folder: string, to: RegExp, but: RegExp = /^$/): readonly Import[] =>
  imports.filter(({ file, target }) => file.startsWith(folder) && to.test(target) && !but.test(target))

it('imports point one way: infra to cli to functions to shared', () => {
  expect(imports.length).toBeGreaterThan(1_000)
  expect(from('shared/', /^(cli|functions|infra|test)\//)).toEqual([])
  expect(from('functions/', /^(cli|infra|test)\//)).toEqual([])
  expect(from('cli/', /^(infra|test)\//)).toEqual([])
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

/** Lists circles that edges lead in, each as what lies on the way. */
function circlesOf(edges: readonly Import[]): readonly (readonly string[])[] {
  const targets = Map.groupBy(edges, ({ file }) => file)
  const done = new Set<string>()
  function circleFrom(start: string, way: readonly string[] = []): readonly string[] {
    if (way.includes(start)) return [...way.slice(way.indexOf(start)), start]
    if (done.has(start)) return []
    const circles = (targets.get(start) ?? []).map(({ target }) => circleFrom(target, [...way, start]))
    done.add(start)
    return circles.find(({ length }) => length > 0) ?? []
  }
  return [...targets.keys()].map((start) => circleFrom(start)).filter(({ length }) => length > 0)
}

it('no circle leads through files, types included', () => {
  expect(circlesOf(imports)).toEqual([])
})

/** `shared/queue` of `shared/queue/sender.ts`: a folder with one public face. */
const folderOf = (file: string): string => file.split('/').slice(0, 2).join('/')

it('no circle leads through folders, types included', () => {
  const edges = imports.map(({ file, target }) => ({ file: folderOf(file), target: folderOf(target) }))
  expect(circlesOf(edges.filter(({ file, target }) => file !== target))).toEqual([])
})

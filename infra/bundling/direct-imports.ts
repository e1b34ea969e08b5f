import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Plugin } from 'esbuild'
import { ROOT } from './options.ts'

/** An import, or an export of another module's names, from a file of ours: `type`, names, path. */
const FROM = /^(?:import|export) (type )?(?:\{([^{}]*)\}|\*) from '(\.[^']+)'/gm

const TYPESCRIPT = /\.ts$/
const SOURCES = ['functions/', 'shared/'].map((folder) => join(ROOT, folder))

/**
 * Has modules import each name from the file that defines it, in place of an `index.ts` that exports it.
 * esbuild's code splitting takes whatever an `index.ts` leads to for used by everything that imports it: all
 * would be loaded at the start. Lines keep their numbers.
 */
export function directImports(): Plugin {
  /** The names that an `index.ts` exports of other files; that of `*` is the file of all others. */
  const exportsOf = new Map<string, ReadonlyMap<string, Exported>>()

  function readExports(index: string): ReadonlyMap<string, Exported> {
    const known = exportsOf.get(index)
    if (known !== undefined) return known
    const found = new Map<string, Exported>()
    for (const [, , names = '*', path = ''] of readFileSync(index, 'utf8').matchAll(FROM)) {
      const file = join(dirname(index), path)
      for (const { name, alias } of namesIn(names)) found.set(alias, { name, file })
    }
    exportsOf.set(index, found)
    return found
  }

  function definition({ name, file }: Exported): Exported {
    if (basename(file) !== 'index.ts') return { name, file }
    const exports = readExports(file)
    const next = exports.get(name) ?? exports.get('*')
    return next === undefined ? { name, file } : definition({ ...next, ...(next.name === '*' && { name }) })
  }

  return {
    name: 'direct-imports',
    setup({ onLoad }) {
      onLoad({ filter: TYPESCRIPT, namespace: 'file' }, ({ path }) => {
        if (!SOURCES.some((folder) => path.startsWith(folder))) return undefined
        const contents = readFileSync(path, 'utf8').replace(FROM, (all, isType, names = '*', from) => {
          if (!from.endsWith('/index.ts') || names === '*' || isType) return all
          const file = join(dirname(path), from)
          const imports = namesIn(names).map(({ name, alias }) => {
            const defined = definition({ name, file })
            return `${all.slice(0, 6)} { ${defined.name} as ${alias} } from '${defined.file}'`
          })
          return imports.join(';') + '\n'.repeat(all.split('\n').length - 1)
        })
        return { contents, loader: 'ts' }
      })
    },
  }
}

interface Exported {
  /** Name that the file has it by. */
  readonly name: string
  readonly file: string
}

/** Parses `first, type Second, third as fourth`, without types, which bundles do not have. */
const namesIn = (names: string): { name: string; alias: string }[] =>
  names
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '' && !text.startsWith('type '))
    .map((text) => {
      const [name = '', alias = name] = text.split(' as ')
      return { name, alias }
    })

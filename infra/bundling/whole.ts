import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'

const placeOf = (name: string): string => dirname(fileURLToPath(import.meta.resolve(name)))

/** Options of a bundle of the command that has no packages beside it. */
export const WHOLE = {
  // A dynamic import finds names in modules only, and its own module for Node is of CommonJS.
  alias: { yaml: join(placeOf('yaml'), '../browser/index.js') },
} as const satisfies BuildOptions

/**
 * These load packages when they are first needed, without a promise: a bundler understands `require` alone.
 */
const LOADING = /\/(protobuf\/wire|body\/read-yaml|structural\/pattern)\.ts$/

const bundledLoads: Plugin = {
  name: 'bundled-loads',
  setup({ onLoad }) {
    onLoad({ filter: LOADING }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const contents = text.replace(/\bload\('/, "require('")
      if (contents === text) throw new Error(`${path} loads nothing that is to be bundled`)
      return { contents, loader: 'ts' }
    })
  },
}

export const wholePlugins: readonly Plugin[] = [bundledLoads]

import { isAbsolute, join } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'

/** Folder of the bundles that are imported lazily, beside the bundle that imports them. */
export const LAZY_FOLDER = 'lazy'

interface LazyImports {
  readonly plugin: Plugin
  /**
   * Returns the modules that the finished bundle still imports lazily, by their file's name without its
   * ending: entry points of another build.
   */
  remaining(metafile: Metafile): Record<string, string>
}

/**
 * Leaves `import()` out of a bundle. esbuild's own code splitting puts everything that a barrel file exports
 * into
 * the common chunk, so every start would load the AWS SDK.
 */
export function lazyImports(): LazyImports {
  const modules = new Map<string, string>()
  return {
    plugin: {
      name: 'lazy-imports',
      setup({ onResolve }) {
        onResolve({ filter: /./ }, ({ kind, path, resolveDir }) => {
          if (kind !== 'dynamic-import' || path.startsWith('node:')) return undefined
          const isFile = path.startsWith('.') || isAbsolute(path)
          const file = `./${LAZY_FOLDER}/${nameOf(path)}.mjs`
          modules.set(file, isFile ? join(resolveDir, path) : path)
          return { path: file, external: true, sideEffects: false }
        })
      },
    },
    remaining({ outputs }) {
      const imported = Object.values(outputs).flatMap(({ imports }) => imports)
      const files = new Set(imported.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path))
      return Object.fromEntries(
        [...modules].filter(([file]) => files.has(file)).map(([, path]) => [nameOf(path), path]),
      )
    },
  }
}

/**
 * Returns the name of a module: `@aws-sdk/client-eks` → `client-eks`, `./queue-access.ts` → `queue-access`.
 */
const nameOf = (path: string): string => (path.split('/').at(-1) ?? path).replace(/\.[cm]?[jt]s$/, '')

import { dirname, join } from 'node:path'
import type { Plugin } from 'esbuild'
import { ROOT } from './options.ts'

const NAMESPACE = 'lazy'

/**
 * Has each module that our sources import lazily count as one that needs all of the start, too. The code
 * splitting of esbuild makes a file of the modules that the same lazy parts need: this way all that is loaded
 * at the start is in one file, in place of a dozen. Nothing else changes, as a module without side effects is
 * not run for such an import.
 * @param start file, from the root, of what the entry point starts. It is not the entry point itself: that
 *   may wait for the start in its body, and a lazy part that needs its file would wait for it in turn
 */
export const oneStart = (start: string): Plugin => ({
  name: 'one-start',
  setup({ initialOptions, onResolve, onLoad, resolve }) {
    initialOptions.logOverride = { 'ignored-bare-import': 'silent' }
    onResolve({ filter: /./ }, async ({ kind, path, importer, resolveDir }) => {
      if (kind !== 'dynamic-import' || importer.includes('/node_modules/')) return undefined
      const found = await resolve(path, { kind: 'import-statement', importer, resolveDir })
      return found.external ? found : { ...found, namespace: NAMESPACE }
    })
    onLoad({ filter: /./, namespace: NAMESPACE }, ({ path }) => ({
      contents: `import '${join(ROOT, start)}'\nexport * from '${path}'`,
      resolveDir: dirname(path),
    }))
  },
})

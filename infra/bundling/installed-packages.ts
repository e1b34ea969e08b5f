import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import { ROOT } from './options.ts'

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/**
 * Excludes the dependencies and peer dependencies of a package from its bundle, as users install them. All
 * others are bundled, so that users do not install what only the command needs.
 * @param folder that of the package's manifest, from the root
 */
export const installedPackages = (folder = '.'): Plugin => ({
  name: 'installed-packages',
  setup({ onResolve }) {
    const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
    const names = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
    onResolve({ filter: /^[@\w]/ }, ({ path }) =>
      names.has(packageOf(path)) ? { path, external: true, sideEffects: false } : undefined,
    )
  },
})

/** Returns the package of an import: `jose/jwt` → `jose`, `@aws-sdk/client-s3/x` → `@aws-sdk/client-s3`. */
function packageOf(path: string): string {
  const [first = '', second = ''] = path.split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}

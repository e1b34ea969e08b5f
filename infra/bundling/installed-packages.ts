import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'

const MANIFEST = join(fileURLToPath(new URL('../../', import.meta.url)), 'package.json')

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/**
 * Leaves out of a bundle what is installed with the package, or beside it by whoever uses it: what
 * package.json names as dependencies and peer dependencies. All others are bundled, so that nobody installs
 * what only the command needs.
 */
export const installedPackages: Plugin = {
  name: 'installed-packages',
  setup({ onResolve }) {
    const { dependencies, peerDependencies }: Manifest = JSON.parse(readFileSync(MANIFEST, 'utf8'))
    const names = new Set(Object.keys({ ...dependencies, ...peerDependencies }))
    onResolve({ filter: /^[@\w]/ }, ({ path }) =>
      names.has(packageOf(path)) ? { path, external: true, sideEffects: false } : undefined,
    )
  },
}

/** Returns the package of an import: `zod/mini` → `zod`, `@aws-sdk/client-s3/x` → `@aws-sdk/client-s3`. */
function packageOf(path: string): string {
  const [first = '', second = ''] = path.split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}

import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'

/** Folder of the checkout. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Options of all bundles: modules for Node.js 24, with maps beside them that hold no sources. */
export const NODE_BUNDLE = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions

/** Goes before a bundle: libraries that are CommonJS ask for Node's own modules by `require`. */
export const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);"

import { join } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'

const PACKAGE = '@kubernetes/client-node'
const MODULE = 'kube-config'

/** How a bundle imports that module. */
export const KUBE_CONFIG = `./${MODULE}.js`

/**
 * Has what is imported lazily of client-node come from a module of its own, beside the module that imports
 * it. client-node names every kind of Kubernetes in one module: whole, it takes 80 MB of memory and a third
 * of a second. KubeConfig, of which alone we make use, takes a quarter of both.
 */
export const lazyKubeConfig: Plugin = {
  name: 'lazy-kube-config',
  setup({ onResolve }) {
    onResolve({ filter: /^@kubernetes\/client-node$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: KUBE_CONFIG, external: true } : undefined,
    )
  },
}

/** Bundles that module with its dependencies: only client-node itself is sure to be installed. */
export const kubeConfigOptions = (folder: string): BuildOptions => ({
  stdin: { contents: `export { KubeConfig } from '${PACKAGE}'`, resolveDir: import.meta.dirname },
  outfile: join(folder, `${MODULE}.js`),
  packages: 'bundle',
  // Of others' sources, which are not there.
  sourcemap: false,
  // Optional in what they are named by.
  external: ['bufferutil', 'supports-color', 'utf-8-validate'],
  plugins: [
    {
      name: 'definitions-only',
      setup({ onResolve }) {
        // Its package.json does not say that its modules may be left out where nothing of them is used.
        onResolve({ filter: /^\.\.?\// }, ({ path, importer, resolveDir }) =>
          importer.includes(`/${PACKAGE}/`)
            ? { path: join(resolveDir, path), sideEffects: false }
            : undefined,
        )
      },
    },
  ],
})

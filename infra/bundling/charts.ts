import type { BuildOptions, Plugin } from 'esbuild'

/**
 * Has what draws charts come from modules of their own, beside the module that imports them. They are
 * development dependencies, as users of the libraries do not need them.
 */
export const bundledCharts: Plugin = {
  name: 'bundled-charts',
  setup({ onResolve }) {
    onResolve({ filter: /^(@observablehq\/plot|linkedom)$/ }, ({ path }) => ({
      path: `./${path.split('/').at(-1)}.js`,
      external: true,
    }))
  },
}

/** Bundles those modules. */
export const chartsOptions = (folder: string): BuildOptions => ({
  entryPoints: { plot: '@observablehq/plot', linkedom: 'linkedom' },
  outdir: folder,
  packages: 'bundle',
  // Of others' sources, which are not there.
  sourcemap: false,
  // Optional in linkedom.
  external: ['canvas'],
})

import type { BuildOptions, Plugin } from 'esbuild'

const MODULE = 'open-telemetry'

/**
 * Has what exports traces come from a module of its own, beside the module that imports it lazily.
 * OpenTelemetry's packages are development dependencies: users of the command install only the 125 kB of
 * their 18 MB that it uses.
 */
export const bundledTracing: Plugin = {
  name: 'bundled-tracing',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/open-telemetry\.ts$/ }, () => ({ path: `./${MODULE}.js`, external: true }))
  },
}

/** Bundles that module. */
export const tracingOptions = (folder: string): BuildOptions => ({
  entryPoints: { [MODULE]: 'shared/tracing/open-telemetry.ts' },
  outdir: folder,
  packages: 'bundle',
})

import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { bundledCharts, chartsOptions } from './charts.ts'
import { kubeConfigOptions, lazyKubeConfig } from './kube-config.ts'
import { REQUIRE } from './require.ts'
import { bundledTracing, tracingOptions } from './tracing.ts'
import { queueOptions, WHOLE, wholePlugins } from './whole.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Folder of the parts that are loaded when they are needed. */
const CHUNKS = 'chunks'
/** Served to browsers as it is, from beside the part that serves it. */
const CONSOLE_PAGE = 'functions/console/page'

/**
 * Bundles the command `sliceflow` into a folder, which it empties before: `main.js` and the parts that it loads when they are needed.
 * A server that starts from a few files takes half of the time, and two thirds of the memory, of one that starts from some
 * hundred modules. What is thrown names functions as they are.
 * @param packages `external`: they stay outside, where the package's users have them installed, but for client-node and what draws
 *   charts; `bundle`: none is needed beside the folder
 */
export async function bundleCommand(
  folder: string,
  packages: 'external' | 'bundle' = 'external',
): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const isWhole = packages === 'bundle'
  const common = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Leaves out of an image what only debuggers read.
    sourcemap: isWhole ? false : 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
  } as const satisfies BuildOptions
  await build({
    ...common,
    entryPoints: { main: 'functions/cli/main.ts' },
    outdir: folder,
    splitting: true,
    packages,
    chunkNames: `${CHUNKS}/[name]-[hash]`,
    ...(isWhole && WHOLE),
    plugins: [lazyKubeConfig, bundledCharts, bundledTracing, ...(isWhole ? wholePlugins : [])],
  })
  await build({ ...common, ...kubeConfigOptions(join(folder, CHUNKS)), banner: { js: REQUIRE } })
  await build({ ...common, ...chartsOptions(join(folder, CHUNKS)), banner: { js: REQUIRE } })
  await build({ ...common, ...tracingOptions(join(folder, CHUNKS)), banner: { js: REQUIRE } })
  if (isWhole) await build({ ...common, ...WHOLE, ...queueOptions(join(folder, CHUNKS)) })
  await cp(join(root, CONSOLE_PAGE), join(folder, CHUNKS, 'page'), { recursive: true })
}

import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { bundledCharts, chartsOptions } from './charts.ts'
import { installedPackages } from './installed-packages.ts'
import { kubeConfigOptions, lazyKubeConfig } from './kube-config.ts'
import { NODE_BUNDLE } from './options.ts'
import { bundledQueue, queueOptions } from './queue.ts'
import { REQUIRE } from './require.ts'
import { bundledTracing, tracingOptions } from './tracing.ts'
import { WHOLE, wholePlugins } from './whole.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Folder of the parts that are loaded when they are needed. */
const CHUNKS = 'chunks'
/** Served to browsers as it is, from beside the part that serves it. */
const CONSOLE_PAGE = 'functions/console/page'

/**
 * Bundles the command `sliceflow` into a folder, which it empties before: `main.js` and the parts that it
 * loads when they are needed. A server that starts from a few files takes half of the time, and two thirds of
 * the memory, of one that starts from some hundred modules. What is thrown names functions as they are.
 * @param packages `external`: those that package.json names as dependencies stay outside, where the package's
 *   users have them installed; `bundle`: none is needed beside the folder
 */
export async function bundleCommand(
  folder: string,
  packages: 'external' | 'bundle' = 'external',
): Promise<Metafile[]> {
  await rm(folder, { recursive: true, force: true })
  const isWhole = packages === 'bundle'
  const common = {
    ...NODE_BUNDLE,
    // Leaves out of an image what only debuggers read.
    ...(isWhole && { sourcemap: false }),
    banner: { js: REQUIRE },
  } as const satisfies BuildOptions
  const command: BuildOptions = {
    entryPoints: { main: 'functions/cli/main.ts' },
    outdir: folder,
    splitting: true,
    mainFields: ['module', 'main'],
    chunkNames: `${CHUNKS}/[name]-[hash]`,
    plugins: [
      lazyKubeConfig,
      bundledCharts,
      bundledQueue,
      bundledTracing,
      ...(isWhole ? wholePlugins : [installedPackages()]),
    ],
    ...(isWhole && WHOLE),
  }
  const chunks = join(folder, CHUNKS)
  const parts = [
    command,
    kubeConfigOptions(chunks),
    chartsOptions(chunks),
    tracingOptions(chunks),
    await queueOptions(chunks),
  ]
  await cp(join(root, CONSOLE_PAGE), join(chunks, 'page'), { recursive: true })
  return Promise.all(
    parts.map(async (part) => (await build({ ...common, ...part, metafile: true })).metafile),
  )
}

import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { bundledCharts, chartsOptions } from './charts.ts'
import { installedPackages } from './installed-packages.ts'
import { kubeConfigOptions, lazyKubeConfig } from './kube-config.ts'
import { bundledQueue, queueOptions } from './queue.ts'
import { REQUIRE } from './require.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Folder of the parts that are loaded when they are needed. */
const CHUNKS = 'chunks'

/** The same modules as its own of CommonJS, whose names a dynamic import would not find in a bundle. */
const YAML = join(dirname(fileURLToPath(import.meta.resolve('yaml'))), '../browser/index.js')

/**
 * Bundles the command `sliceflow` into a folder, which it empties before: `main.js` and the parts that it loads when they are needed.
 * A server that starts from a few files takes half of the time, and two thirds of the memory, of one that starts from some
 * hundred modules. What is thrown names functions as they are.
 * @param packages `external`: those that package.json names as dependencies stay outside, where the package's users have them
 *   installed; `bundle`: none is needed beside the folder
 */
export async function bundleCommand(
  folder: string,
  packages: 'external' | 'bundle' = 'external',
): Promise<Metafile[]> {
  await rm(folder, { recursive: true, force: true })
  const common = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // An image has no use for them.
    sourcemap: packages === 'bundle' ? false : 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
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
      ...(packages === 'bundle' ? [] : [installedPackages]),
    ],
    ...(packages === 'bundle' && { alias: { yaml: YAML } }),
  }
  const chunks = join(folder, CHUNKS)
  const parts = [command, kubeConfigOptions(chunks), chartsOptions(chunks), await queueOptions(chunks)]
  return Promise.all(
    parts.map(async (part) => (await build({ ...common, ...part, metafile: true })).metafile),
  )
}

import { copyFile, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { installedPackages } from './installed-packages.ts'
import { kubeConfigOptions, lazyKubeConfig } from './kube-config.ts'
import { nodeModules } from './node-modules.ts'
import { NODE_BUNDLE, REQUIRE, ROOT } from './options.ts'

/** Folder of the parts that are loaded when they are needed. */
const CHUNKS = 'chunks'
/** Served to browsers as it is, from beside the part that serves it. */
const CONSOLE_PAGE = 'cli/console/page'

/**
 * Has what draws charts, and what exports traces, come from modules of their own, beside the module that
 * imports them lazily. Their packages are development dependencies: users of the command install only what it
 * uses of them, of OpenTelemetry's 18 MB 125 kB.
 */
const bundledModules: Plugin = {
  name: 'bundled-modules',
  setup({ onResolve }) {
    onResolve({ filter: /^(@observablehq\/plot|linkedom|\.\/open-telemetry\.ts)$/ }, ({ path }) => ({
      path: `./${basename(path, '.ts')}.js`,
      external: true,
    }))
  },
}

const modulesOptions = (folder: string): BuildOptions => ({
  entryPoints: {
    plot: '@observablehq/plot',
    linkedom: 'linkedom',
    'open-telemetry': 'shared/tracing/open-telemetry.ts',
  },
  outdir: folder,
  packages: 'bundle',
  // Of others' sources, which are not there.
  sourcemap: false,
  // Optional in linkedom.
  external: ['canvas'],
})

/** Folder of the embedded queue's modules. */
const QUEUE = 'queue'

/** Has the embedded queue's modules come from a folder beside the module that loads them. */
const bundledQueue: Plugin = {
  name: 'bundled-queue',
  setup({ onLoad }) {
    onLoad({ filter: /\/cli\/local\/embedded-queue\/queue-modules\.ts$/ }, () => ({
      contents: `export const QUEUE_MODULES = new URL('./${QUEUE}/app.js', import.meta.url).href`,
    }))
  },
}

/** Bundles those modules, each where it stands in fauxqs, so that the actions work on the one store. */
async function queueOptions(folder: string): Promise<BuildOptions> {
  const modules = dirname(fileURLToPath(import.meta.resolve('fauxqs')))
  const actions = await readdir(join(modules, 'sqs/actions'))
  const names = actions.filter((file) => file.endsWith('.js')).map((file) => basename(file, '.js'))
  const files = ['app', 'sqs/sqsStore', ...names.map((name) => `sqs/actions/${name}`)]
  return {
    entryPoints: Object.fromEntries(files.map((file) => [file, join(modules, `${file}.js`)])),
    outdir: join(folder, QUEUE),
    splitting: true,
    mainFields: ['module', 'main'],
    chunkNames: 'chunks/[name]-[hash]',
    // Its own names sources that it does not bring.
    sourcemap: false,
  }
}

const placeOf = (name: string): string => dirname(fileURLToPath(import.meta.resolve(name)))

/** Options of a bundle of the command that has no packages beside it. */
const WHOLE = {
  // A dynamic import finds names in modules only, and its own module for Node is of CommonJS.
  alias: { yaml: join(placeOf('yaml'), '../browser/index.js') },
} as const satisfies BuildOptions

/** Modules that load packages when first needed, without a promise: bundlers understand `require` alone. */
const LOADING = /\/(protobuf\/wire|body\/read-yaml|structural\/pattern)\.ts$/

const bundledLoads: Plugin = {
  name: 'bundled-loads',
  setup({ onLoad }) {
    onLoad({ filter: LOADING }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const contents = text.replace(/\bload\('/, "require('")
      if (contents === text) throw new Error(`${path} loads nothing that is to be bundled`)
      return { contents, loader: 'ts' }
    })
  },
}

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
    entryPoints: { main: 'cli/main.ts' },
    outdir: folder,
    splitting: true,
    mainFields: ['module', 'main'],
    chunkNames: `${CHUNKS}/[name]-[hash]`,
    plugins: [lazyKubeConfig, bundledQueue, bundledModules, isWhole ? bundledLoads : installedPackages()],
    ...(isWhole && WHOLE),
  }
  const chunks = join(folder, CHUNKS)
  const parts = [command, kubeConfigOptions(chunks), modulesOptions(chunks), await queueOptions(chunks)]
  await cp(join(ROOT, CONSOLE_PAGE), join(chunks, 'page'), { recursive: true })
  return Promise.all(
    parts.map(async ({ plugins = [], ...part }) => {
      const bundled = { ...common, ...part, plugins: [nodeModules, ...plugins] }
      return (await build({ ...bundled, metafile: true })).metafile
    }),
  )
}

/**
 * Makes the folder that an image is built from, and that runs as it is where there is Node.js 24: the command
 * with all that it needs, the ClusterRoles and alerts that it prints, and the Containerfile. Empties the
 * folder before.
 */
export async function bundleImage(folder: string): Promise<void> {
  await bundleCommand(folder, 'bundle')
  await copyFile(join(ROOT, 'infra/image/Containerfile'), join(folder, 'Containerfile'))
  await cp(join(ROOT, 'infra/rbac'), join(folder, 'infra/rbac'), { recursive: true })
  await cp(join(ROOT, 'infra/prometheus/alerts.yaml'), join(folder, 'infra/prometheus/alerts.yaml'))
  const { name, version, license, type } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  await writeFile(
    join(folder, 'package.json'),
    `${JSON.stringify({ name, version, license, type }, null, 2)}\n`,
  )
}

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile, type Plugin } from 'esbuild'
import { installedPackages } from './installed-packages.ts'
import { kubeConfigOptions, lazyKubeConfig } from './kube-config.ts'
import { NODE_BUNDLE } from './options.ts'
import { REQUIRE } from './require.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const CHUNKS = 'chunks'

/** Leaves out packages of which nothing is used. Few of them say of themselves that they may be. */
const usedPackages: Plugin = {
  name: 'used-packages',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[@\w]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === usedPackages || kind === 'entry-point') return undefined
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: usedPackages })
      return { ...found, sideEffects: false }
    })
  },
}

/**
 * Finds the folders of the libraries that package.json exports, such as `shared/views`, by their name, such
 * as `views`.
 */
export async function exportedLibraries(): Promise<ReadonlyMap<string, string>> {
  const { exports }: { exports: Readonly<Record<string, { readonly default: string } | string>> } =
    JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return new Map(
    Object.entries(exports).flatMap(([name, target]) =>
      typeof target === 'string' ? [] : [[name.slice(2), dirname(target.default).replace('./dist/', '')]],
    ),
  )
}

/**
 * Bundles the libraries of the package into `folder`, each where package.json exports it, with what they
 * share in `chunks`. A library contains only the part of the runtime that it uses: importing
 * the constructs needs no package of the relay and the functions.
 */
export async function bundleLibraries(folder: string): Promise<Metafile[]> {
  const libraries = [...(await exportedLibraries()).values()]
  const kubeConfig = { ...NODE_BUNDLE, ...kubeConfigOptions(join(folder, CHUNKS)), banner: { js: REQUIRE } }
  const { metafile: ofKubeConfig } = await build({ ...kubeConfig, metafile: true })
  const { metafile, outputFiles } = await build({
    ...NODE_BUNDLE,
    entryPoints: libraries.map((library) => `${library}/index.ts`),
    outbase: root,
    outdir: folder,
    splitting: true,
    chunkNames: `${CHUNKS}/[name]-[hash]`,
    plugins: [lazyKubeConfig, installedPackages, usedPackages],
    metafile: true,
    write: false,
  })
  const used = filesOf(metafile, folder)
  for (const { path, contents } of outputFiles) {
    if (!used.has(path.replace(/\.map$/, ''))) continue
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, contents)
  }
  const isUsed = ([file]: [string, unknown]): boolean => used.has(join(root, file))
  const outputs = Object.fromEntries(Object.entries(metafile.outputs).filter(isUsed))
  return [ofKubeConfig, { ...metafile, outputs }]
}

/**
 * Finds the files that the libraries lead to. esbuild also writes files that are imported lazily by modules
 * that it has left out.
 */
function filesOf({ outputs }: Metafile, folder: string): Set<string> {
  const libraries = Object.keys(outputs).filter((file) => {
    const { entryPoint = '' } = outputs[file] ?? {}
    return join(root, file) === join(folder, entryPoint.replace(/\.ts$/, '.js'))
  })
  const files = new Set<string>(libraries)
  for (const file of files)
    for (const { path, external } of outputs[file]?.imports ?? []) if (external !== true) files.add(path)
  return new Set([...files].map((file) => join(root, file)))
}

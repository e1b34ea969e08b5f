import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { buildUsed } from './build-used.ts'
import { installedPackages } from './installed-packages.ts'
import { KUBE_CONFIG, kubeConfigOptions, lazyKubeConfig } from './kube-config.ts'
import { NODE_BUNDLE, REQUIRE, ROOT } from './options.ts'

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

interface Manifest {
  readonly name: string
  readonly workspaces?: readonly string[]
  readonly exports?: Readonly<Record<string, { readonly default: string } | string>>
}

/** A library that one of the packages exports. */
export interface Library {
  /** How users import it, such as `@sliceflow/views` or `sliceflow/infra`. */
  readonly name: string
  /** Folder of the package's manifest from the root, such as `shared/views` or `.`. */
  readonly manifest: string
  /** Folder of the sources from the root, such as `shared/views` or `infra/constructs`. */
  readonly sources: string
  /** Where the package has it built, such as `dist` or `dist/infra/constructs`. */
  readonly built: string
}

/** Finds the libraries that package.json and the workspaces export; a package has them below `dist`. */
export async function exportedLibraries(): Promise<readonly Library[]> {
  const { workspaces = [] } = await manifestIn('.')
  const found = ['.', ...workspaces].map(async (manifest) => {
    const { name, exports = {} } = await manifestIn(manifest)
    return Object.entries(exports).flatMap(([path, target]): Library[] => {
      if (typeof target === 'string') return []
      const built = dirname(target.default).replace('./', '')
      const sources = join(manifest, built.replace(/^dist\/?/, ''))
      return [{ name: join(name, path), manifest, sources, built }]
    })
  })
  return (await Promise.all(found)).flat()
}

const manifestIn = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'))

/**
 * Bundles a library into `folder`: `index.js`, and beside it what that loads when it is needed. It contains
 * what it uses of the other folders here and of packages that its users do not install, and no more:
 * importing the constructs needs nothing of the relay and the functions.
 */
export async function bundleLibrary({ manifest, sources }: Library, folder: string): Promise<Metafile[]> {
  const library = await buildUsed(
    { index: `${sources}/index.ts` },
    { outdir: folder, plugins: [lazyKubeConfig, installedPackages(manifest), usedPackages] },
  )
  const imported = Object.values(library.outputs).flatMap(({ imports }) => imports)
  if (!imported.some(({ path }) => path === KUBE_CONFIG)) return [library]
  const kubeConfig = { ...NODE_BUNDLE, ...kubeConfigOptions(folder), banner: { js: REQUIRE } }
  return [library, (await build({ ...kubeConfig, metafile: true })).metafile]
}

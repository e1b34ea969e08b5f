import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import type { Bundles } from '../constructs/index.ts'
import { LAZY_FOLDER, lazyImports } from './lazy-imports.ts'
import { NODE_BUNDLE, REQUIRE } from './options.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Programs that run on AWS, by the folder of their bundle: the entry point and the file that it becomes. */
const ENTRIES = {
  reconcile: { entry: 'functions/reconcile/main.ts', name: 'index' },
  audit: { entry: 'functions/audit/main.ts', name: 'index' },
  'view-publisher': { entry: 'functions/view-publisher/main.ts', name: 'index' },
  relay: { entry: 'functions/relay/main.ts', name: 'main' },
} as const

export type BundleName = keyof typeof ENTRIES
export const BUNDLE_NAMES = Object.keys(ENTRIES) as BundleName[]

const COMMON = {
  ...NODE_BUNDLE,
  mainFields: ['module', 'main'],
  minify: true,
  outExtension: { '.js': '.mjs' },
  banner: { js: REQUIRE },
  metafile: true,
} as const satisfies BuildOptions

/** Contents of the files of a bundle. */
export interface BundleContents {
  /** Loaded at every start. */
  readonly main: Metafile
  /** Loaded when it is needed; absent where nothing is imported lazily. */
  readonly lazy?: Metafile
}

/**
 * Bundles one entry point into a folder, which it empties before. The AWS SDK is bundled too, in files that
 * are loaded when they are needed: its version is ours and not that of the runtime, and no start waits for a
 * client that is not used.
 */
export async function bundle(name: BundleName, folder: string): Promise<BundleContents> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { entry, name: output } = ENTRIES[name]
  if (name === 'relay') await copyFile(join(root, 'infra/relay/Dockerfile'), join(folder, 'Dockerfile'))
  const imports = lazyImports()
  const { metafile: main } = await build({
    ...COMMON,
    entryPoints: { [output]: entry },
    outdir: folder,
    plugins: [imports.plugin],
  })
  const entryPoints = imports.remaining(main)
  if (Object.keys(entryPoints).length === 0) return { main }
  const { metafile: lazy } = await build({
    ...COMMON,
    entryPoints,
    outdir: join(folder, LAZY_FOLDER),
    splitting: true,
    // Only reading kubeconfig files imports them, which nothing here does; splitting would keep them all the
    // same.
    external: ['@kubernetes/client-node', 'yaml'],
    chunkNames: 'chunks/[name]-[hash]',
  })
  return { main, lazy }
}

/** Bundles everything that runs on AWS into `folder`, a folder each. */
export async function bundleAll(folder: string): Promise<Bundles> {
  await Promise.all(BUNDLE_NAMES.map((name) => bundle(name, join(folder, name))))
  return bundlesIn(folder)
}

const bundlesIn = (folder: string): Bundles => ({
  reconcile: join(folder, 'reconcile'),
  audit: join(folder, 'audit'),
  viewPublisher: join(folder, 'view-publisher'),
  relay: join(folder, 'relay'),
})

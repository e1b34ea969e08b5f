import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { type Bundles, bundlesIn } from '../constructs/functions/bundles.ts'
import { buildUsed, outputsFrom } from './build-used.ts'
import { directImports } from './direct-imports.ts'
import { oneStart } from './one-start.ts'
import { REQUIRE, ROOT } from './options.ts'

/** Programs that run on AWS, by the folder of their bundle: the entry point and the file that it becomes. */
const ENTRIES = {
  reconcile: { entry: 'functions/reconcile/main.ts', name: 'index' },
  audit: { entry: 'functions/audit/main.ts', name: 'index' },
  'view-publisher': { entry: 'functions/view-publisher/main.ts', name: 'index' },
  relay: { entry: 'functions/relay/main.ts', name: 'main' },
} as const

export type BundleName = keyof typeof ENTRIES
export const BUNDLE_NAMES = Object.keys(ENTRIES) as BundleName[]

export interface BundleContents {
  /** Files that are loaded at every start. */
  readonly start: Metafile
  /** Files that are loaded when they are needed. */
  readonly lazy: Metafile
}

/**
 * Bundles one entry point into a folder, which it empties before. What is imported lazily is in files beside
 * it, with the AWS SDK: its version is ours and not that of the runtime, and no start waits for what is not
 * used. Each module is in one file only, so that all parts have the same classes of errors.
 */
export async function bundle(name: BundleName, folder: string): Promise<BundleContents> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { entry, name: output } = ENTRIES[name]
  if (name === 'relay') await copyFile(join(ROOT, 'infra/relay/Dockerfile'), join(folder, 'Dockerfile'))
  const all = await buildUsed(
    { [output]: entry },
    {
      outdir: folder,
      mainFields: ['module', 'main'],
      minify: true,
      outExtension: { '.js': '.mjs' },
      banner: { js: REQUIRE },
      chunkNames: 'chunks/[name]-[hash]',
      plugins: [directImports(), oneStart(`functions/${name}/from-environment.ts`)],
    },
  )
  const start = outputsFrom(all, [entry], ['import-statement'])
  const lazy = Object.entries(all.outputs).filter(([file]) => !(file in start))
  return { start: { ...all, outputs: start }, lazy: { ...all, outputs: Object.fromEntries(lazy) } }
}

export const bytesOf = ({ outputs }: Metafile): number =>
  Object.values(outputs).reduce((sum, { bytes }) => sum + bytes, 0)

/** Bundles everything that runs on AWS into `folder`, a folder each. */
export async function bundleAll(folder: string): Promise<Bundles> {
  await Promise.all(BUNDLE_NAMES.map((name) => bundle(name, join(folder, name))))
  return bundlesIn(folder)
}

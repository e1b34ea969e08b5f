import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BuildOptions, build, type ImportKind, type Metafile } from 'esbuild'
import { nodeModules } from './node-modules.ts'
import { NODE_BUNDLE, ROOT } from './options.ts'

/** Entry points by the names of the files that they become. */
type EntryPoints = Readonly<Record<string, string>>

/**
 * Bundles entry points with code splitting, and writes only the files that they lead to: esbuild also makes
 * files of what modules import lazily that it has left out.
 * @returns what the written files are made of
 */
export async function buildUsed(entryPoints: EntryPoints, options: BuildOptions): Promise<Metafile> {
  const { metafile, outputFiles } = await build({
    ...NODE_BUNDLE,
    ...options,
    plugins: [nodeModules, ...(options.plugins ?? [])],
    entryPoints,
    splitting: true,
    metafile: true,
    write: false,
  })
  const outputs = outputsFrom(metafile, Object.values(entryPoints), ['import-statement', 'dynamic-import'])
  const used = new Set(Object.keys(outputs).map((file) => join(ROOT, file)))
  for (const { path, contents } of outputFiles) {
    if (!used.has(path.replace(/\.map$/, ''))) continue
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, contents)
  }
  return { ...metafile, outputs }
}

/** Returns the files that entry points become, and those that imports of these kinds lead to from there. */
export function outputsFrom(
  { outputs }: Metafile,
  entryPoints: readonly string[],
  kinds: readonly ImportKind[],
): Metafile['outputs'] {
  const isEntry = (file: string): boolean => entryPoints.includes(outputs[file]?.entryPoint ?? '')
  const files = new Set(Object.keys(outputs).filter(isEntry))
  for (const file of files)
    for (const { path, kind, external } of outputs[file]?.imports ?? [])
      if (external !== true && kinds.includes(kind as ImportKind)) files.add(path)
  return Object.fromEntries(Object.entries(outputs).filter(([file]) => files.has(file)))
}

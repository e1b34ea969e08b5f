import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { bundleLibrary, exportedLibraries, type Library } from '../bundling/index.ts'
import { type FolderOf, rollUpDeclarations } from './declarations.ts'

/**
 * Builds the libraries that packages export, with a file of declarations each.
 * @param manifests folders of the packages' manifests, from the root
 * @param distOf where the package of a manifest has what is built
 * @param declarations where the compiler has put those of the sources
 * @param reportOf see `rollUpDeclarations`
 */
export async function buildLibraries(
  manifests: readonly string[],
  distOf: (manifest: string) => string,
  declarations: string,
  reportOf?: FolderOf,
): Promise<Metafile[]> {
  const libraries = (await exportedLibraries()).filter(({ manifest }) => manifests.includes(manifest))
  const folderOf = ({ manifest, built }: Library): string => join(distOf(manifest), '..', built)
  await rollUpDeclarations(declarations, libraries, folderOf, reportOf)
  return (await Promise.all(libraries.map((library) => bundleLibrary(library, folderOf(library))))).flat()
}

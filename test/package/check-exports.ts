import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/** Returns the messages of publint about the package in a folder. */
export async function lintManifest(folder: string): Promise<string[]> {
  const { messages, pkg } = await publint({ pkgDir: folder, strict: true, pack: false })
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)
}

/**
 * Returns what is wrong with the types of a packed package, for each way to resolve modules: `KIND ENTRY
 * (RESOLUTION)`.
 */
export async function checkTypes(tarball: Uint8Array): Promise<string[]> {
  const analysis = await checkPackage(createPackageFromTarballData(tarball))
  if (analysis.types === false) throw new Error('the package has no types')
  return analysis.problems.map((problem) => {
    if (!('entrypoint' in problem)) return problem.kind
    return `${problem.kind} ${problem.entrypoint} (${problem.resolutionKind})`
  })
}

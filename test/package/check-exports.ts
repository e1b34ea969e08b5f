import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/** Returns the messages of publint about the package in a folder. */
export async function lintManifest(folder: string): Promise<string[]> {
  const { messages, pkg } = await publint({ pkgDir: folder, strict: true, pack: false })
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)
}

/**
 * Returns what is wrong with the types of the package in a folder, for each way to resolve modules: `KIND
 * ENTRY (RESOLUTION)`.
 */
export async function checkTypes(folder: string): Promise<string[]> {
  const args = ['pack', '--json', '--ignore-scripts']
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 })
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  const tarball = await readFile(join(folder, filename))
  await rm(join(folder, filename))
  const analysis = await checkPackage(createPackageFromTarballData(tarball))
  if (analysis.types === false) throw new Error('the package has no types')
  return analysis.problems.map((problem) => {
    if (!('entrypoint' in problem)) return problem.kind
    return `${problem.kind} ${problem.entrypoint} (${problem.resolutionKind})`
  })
}

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildGoProgram, isExecutable, programCache } from '../../../../test/support/go-program.ts'

const GO_MODULE = fileURLToPath(new URL('./upstream', import.meta.url))

/**
 * Returns the path of the program in upstream/. It is built once for each version of its files, into the
 * cache (`${XDG_CACHE_HOME:-~/.cache}/sliceflow`): a minute or two the first time on a machine, then seconds.
 * @param report gets a line when it has to be built
 * @throws BinariesError if Go is missing or the build fails
 */
export async function upstreamProgram(report: (line: string) => void = () => {}): Promise<string> {
  const path = programCache('differential', await digestOfModule(), 'upstream')
  if (await isExecutable(path)) return path
  report(`building ${path}`)
  await buildGoProgram({ module: GO_MODULE, target: '.', path })
  return path
}

async function digestOfModule(): Promise<string> {
  const hash = createHash('sha256')
  const files = await readdir(GO_MODULE)
  for (const file of files.sort()) hash.update(`${file}\n`).update(await readFile(join(GO_MODULE, file)))
  return hash.digest('hex').slice(0, 12)
}

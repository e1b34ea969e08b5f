import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildGoProgram, isExecutable, programCache } from '../../../support/go-program.ts'

const MODULE = fileURLToPath(new URL('./program', import.meta.url))

/**
 * The path of the program beside this file, which is built where it, or a version of its modules, is another
 * one than before.
 * @throws BinariesError if Go is missing or the build fails
 */
export async function ensureClientGoProgram(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of (await readdir(MODULE)).toSorted()) hash.update(await readFile(join(MODULE, file)))
  const path = programCache('client-go', hash.digest('hex').slice(0, 12), 'program')
  if (!(await isExecutable(path))) await buildGoProgram({ module: MODULE, target: '.', path })
  return path
}

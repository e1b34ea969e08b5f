import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exit, stderr, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { BinariesError, buildGoProgram, isExecutable, programCache } from '../../support/go-program.ts'

const MODULE = fileURLToPath(new URL('./helm', import.meta.url))

/**
 * Returns the path of Helm. If it is missing it is built first, which takes some minutes, once a machine.
 * @param report gets a line before a build
 * @throws BinariesError if Go is missing or the build fails
 */
export async function ensureHelm(report: (line: string) => void = () => {}): Promise<string> {
  const sums = await readFile(join(MODULE, 'go.sum'))
  const path = programCache('helm', createHash('sha256').update(sums).digest('hex').slice(0, 12), 'helm')
  if (await isExecutable(path)) return path
  report('building helm, which takes some minutes')
  const target = 'helm.sh/helm/v4/cmd/helm'
  await buildGoProgram({ module: MODULE, target, path, flags: ['-ldflags', '-s -w'] })
  return path
}

if (import.meta.main) {
  try {
    stdout.write(`helm\t${await ensureHelm((line) => stderr.write(`${line}\n`))}\n`)
  } catch (error) {
    if (!(error instanceof BinariesError)) throw error
    stderr.write(`${error.message}\n`)
    exit(1)
  }
}

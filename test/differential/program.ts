import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, constants, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { env, pid } from 'node:process'
import { fileURLToPath } from 'node:url'
import { BinariesError } from '../cluster/binaries.ts'

const GO_MODULE = fileURLToPath(new URL('./upstream', import.meta.url))

/**
 * The path of the program in upstream/. It is built once for each version of its files, into the cache
 * (`${XDG_CACHE_HOME:-~/.cache}/sliceflow`): a minute or two the first time on a machine, then seconds.
 * @param report gets a line when it has to be built
 * @throws BinariesError if Go is missing or the build fails
 */
export async function upstreamProgram(report: (line: string) => void = () => {}): Promise<string> {
  const root = env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const path = join(root, 'sliceflow', 'differential', await digestOfModule(), 'upstream')
  const isBuilt = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
  if (isBuilt) return path
  report(`building ${path}`)
  await mkdir(dirname(path), { recursive: true })
  // Built beside the final path and renamed: a build that was cut off never leaves half a program.
  const unfinished = `${path}.${pid}`
  try {
    await goBuild(unfinished)
    await rename(unfinished, path)
  } finally {
    await rm(unfinished, { force: true })
  }
  return path
}

async function digestOfModule(): Promise<string> {
  const hash = createHash('sha256')
  const files = await readdir(GO_MODULE)
  for (const file of files.sort()) hash.update(`${file}\n`).update(await readFile(join(GO_MODULE, file)))
  return hash.digest('hex').slice(0, 12)
}

async function goBuild(path: string): Promise<void> {
  const child = spawn('go', ['build', '-buildvcs=false', '-o', path, '.'], {
    cwd: GO_MODULE,
    env: { ...env, CGO_ENABLED: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output = (output + chunk).slice(-8192)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve)
    child.on('error', (cause: NodeJS.ErrnoException) => {
      const problem = cause.code === 'ENOENT' ? 'go is not installed' : `go cannot be run: ${cause.message}`
      reject(new BinariesError(`${problem}; install Go 1.26 or newer (https://go.dev/dl)`, { cause }))
    })
  })
  if (code !== 0)
    throw new BinariesError(`failed to build ${GO_MODULE}: go exited with code ${code}:\n${output}`)
}

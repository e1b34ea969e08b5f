import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, constants, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { env, pid } from 'node:process'

/** A program cannot be had; the message says what to install or set. */
export class BinariesError extends Error {
  override readonly name = 'BinariesError'
}

/**
 * Runs a program to its exit code: 0 if it resolves to true, otherwise 1, and 2 if a program that it needs is
 * missing, which it says then.
 */
export async function runToExitCode(main: () => Promise<boolean>): Promise<void> {
  try {
    process.exitCode = (await main()) ? 0 : 1
  } catch (error) {
    if (!(error instanceof BinariesError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
  }
}

interface GoBuild {
  /** The folder of the Go module. */
  readonly module: string
  /** The package to build, as `go build` names it. */
  readonly target: string
  /** Path of the program. */
  readonly path: string
  /** Command that makes the program. Default: `build`. */
  readonly command?: readonly string[]
  /** Further flags of it. */
  readonly flags?: readonly string[]
}

/** Returns the path of built programs: `${XDG_CACHE_HOME:-~/.cache}/sliceflow`. */
export const programCache = (...parts: readonly string[]): string =>
  join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sliceflow', ...parts)

export const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/**
 * Returns the path of the program whose sources are in a folder. It is built if it, or a version of its
 * modules, has changed.
 * @param name of the program in the cache
 * @throws BinariesError if Go is missing or the build fails
 */
export async function ensureGoProgram(name: string, module: string): Promise<string> {
  const hash = createHash('sha256')
  for (const file of (await readdir(module)).toSorted()) hash.update(await readFile(join(module, file)))
  const path = programCache(name, hash.digest('hex').slice(0, 12), 'program')
  if (!(await isExecutable(path))) await buildGoProgram({ module, target: '.', path })
  return path
}

/**
 * Builds beside the final path and renames: a build that was cut off, or a second one, never leaves half a
 * program.
 * @throws BinariesError if Go is missing or the build fails
 */
export async function buildGoProgram({
  module,
  target,
  path,
  command = ['build'],
  flags = [],
}: GoBuild): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const unfinished = `${path}.${pid}`
  try {
    await go(module, [...command, '-buildvcs=false', ...flags, '-o', unfinished, target])
    await rename(unfinished, path)
  } finally {
    await rm(unfinished, { force: true })
  }
}

async function go(module: string, args: readonly string[]): Promise<void> {
  const child = spawn('go', args, {
    cwd: module,
    env: { ...env, CGO_ENABLED: '0' },
    stdio: ['ignore', 'inherit', 'pipe'],
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
  if (code !== 0) throw new BinariesError(`go ${args.join(' ')} failed with exit code ${code}:\n${output}`)
}

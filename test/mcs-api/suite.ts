import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pid } from 'node:process'
import { BinariesError, buildGoProgram, isExecutable, programCache } from '../support/go-program.ts'

/** The release of sigs.k8s.io/mcs-api whose suite is run; its API is that of our definitions. */
export const MCS_API_VERSION = 'v0.5.2'
const REPOSITORY = 'https://github.com/kubernetes-sigs/mcs-api'

/**
 * Returns the path of upstream's suite as a program, which is built first if it has changed. It is a module
 * of its own that is only in its repository, not on a module proxy: hence a checkout.
 * @param checkout a folder; default: one is cloned, once a machine
 * @throws BinariesError if the folder has no suite, or git or Go are missing or fail
 */
export async function ensureFleetSuite(
  checkout: string | undefined,
  report: (line: string) => void,
): Promise<string> {
  const module = join(checkout ?? (await ensureCheckout(report)), 'conformance')
  const hash = createHash('sha256')
  for (const file of await sourcesOf(module)) hash.update(await readFile(join(module, file)))
  const path = programCache('mcs-api', hash.digest('hex').slice(0, 12), 'conformance.test')
  if (await isExecutable(path)) return path
  report(`building ${module}`)
  await buildGoProgram({ module, command: ['test', '-c', '-vet=off'], target: '.', path })
  return path
}

async function sourcesOf(module: string): Promise<string[]> {
  const files: string[] = await readdir(module).catch(() => [])
  if (files.includes('go.mod')) return files.filter((file) => /\.(go|mod|sum|gohtml)$/.test(file)).sort()
  throw new BinariesError(`${module} is no Go module: name a checkout of ${REPOSITORY} with --checkout`)
}

async function ensureCheckout(report: (line: string) => void): Promise<string> {
  const folder = programCache('mcs-api', MCS_API_VERSION)
  if (
    await access(folder).then(
      () => true,
      () => false,
    )
  )
    return folder
  report(`cloning ${REPOSITORY} at ${MCS_API_VERSION}`)
  await mkdir(dirname(folder), { recursive: true })
  const unfinished = `${folder}.${pid}`
  try {
    await git('clone', '--quiet', '--depth', '1', '--branch', MCS_API_VERSION, REPOSITORY, unfinished)
    await rename(unfinished, folder)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return folder
}

async function git(...args: readonly string[]): Promise<void> {
  const child = spawn('git', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve)
    child.on('error', (cause) => reject(new BinariesError('git cannot be run', { cause })))
  })
  if (code === 0) return
  throw new BinariesError(
    `git ${args.join(' ')} failed with exit code ${code}: without a network name a checkout with --checkout`,
  )
}

import { spawn } from 'node:child_process'
import { access, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Returns a program of PyPI, which is installed into a folder of its own where it is missing. */
export async function pythonProgram(name: string, version: string): Promise<string> {
  const venv = join(
    process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
    'sliceflow',
    `${name}-${version}`,
  )
  const program = join(venv, 'bin', name)
  const isThere = await access(program).then(
    () => true,
    () => false,
  )
  if (isThere) return program
  await mkdir(venv, { recursive: true })
  await run('python3', ['-m', 'venv', venv])
  const pip = join(venv, 'bin', 'pip')
  await run(pip, ['install', '--quiet', '--disable-pip-version-check', `${name}==${version}`])
  return program
}

interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** Whether what it prints is returned, and not shown; default false. */
  readonly captured?: boolean
}

/** @throws Error where it cannot be run or fails */
export async function run(
  program: string,
  args: readonly string[],
  { environment = {}, captured = false }: RunOptions = {},
): Promise<string> {
  const child = spawn(program, args, {
    stdio: ['inherit', captured ? 'pipe' : 'inherit', 'inherit'],
    env: { ...process.env, ...environment },
  })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (cause) => reject(new Error(`cannot run ${program}: ${cause.message}`, { cause })))
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`${program} failed with exit code ${code}`)
  return output
}

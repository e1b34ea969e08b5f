import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** A version for everybody: the rules grow from one to the next. */
const VERSION = '1.58.0'

/** Returns the path of cfn-lint, which is installed into a folder of its own where it is missing. */
export async function cfnLintProgram(): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const venv = join(cache, 'sliceflow', `cfn-lint-${VERSION}`)
  const program = join(venv, 'bin', 'cfn-lint')
  if (existsSync(program)) return program
  await mkdir(venv, { recursive: true })
  run('python3', ['-m', 'venv', venv])
  const pip = join(venv, 'bin', 'pip')
  run(pip, ['install', '--quiet', '--disable-pip-version-check', `cfn-lint==${VERSION}`])
  return program
}

/** @throws Error where it cannot be run or fails */
export function run(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): void {
  const { error, status } = spawnSync(program, args, {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  if (error !== undefined) throw new Error(`cannot run ${program}: ${error.message}`, { cause: error })
  if (status !== 0) throw new Error(`${program} failed with exit code ${status}`)
}

import { execFile } from 'node:child_process'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const TELL_FLAGS = `data:text/javascript,process.on('exit', () => console.error(process.pid, ...process.execArgv))`

/**
 * Returns Node's flags with which the command finally runs, and whether it is still the process that was
 * started.
 */
async function flagsOf(command: string, nodeFlags: readonly string[] = []) {
  const started = promisify(execFile)(execPath, [
    ...nodeFlags,
    '--import',
    TELL_FLAGS,
    MAIN,
    command,
    '--help',
  ])
  const { stderr } = await started
  const [pid, ...flags] = stderr.trim().split(' ')
  return {
    isSameProcess: pid === String(started.child.pid),
    flags: flags.filter((flag) => flag.startsWith('--max-semi-space-size')),
  }
}

it.skipIf(process.platform === 'win32').each(['run', 'control-plane'])(
  'bounds the memory of %s without a second process',
  async (command) => {
    expect(await flagsOf(command)).toEqual({ isSameProcess: true, flags: [expect.stringMatching(/=\d+$/)] })
  },
)

it('leaves the bound alone that somebody has given', async () => {
  expect((await flagsOf('run', ['--max-semi-space-size=3'])).flags).toEqual(['--max-semi-space-size=3'])
})

it('leaves other commands alone', async () => {
  expect((await flagsOf('rbac')).flags).toEqual([])
})

import { execArgv, execPath } from 'node:process'

/**
 * V8's flags for commands that live long, as its own choice wastes memory there. They set how large the young
 * generation may be, which is three times the number (V8 goes to 32 MB here); how much garbage the old one
 * gathers before it is collected; and that the main thread compiles, as the compilers' own memory stays with
 * each thread that they ever ran on.
 */
const SERVER_FLAGS: Readonly<Record<string, readonly string[]>> = {
  // Its objects stay: with 50,000 objects V8's own choice takes half of its memory away.
  'control-plane': ['--max-semi-space-size=4', '--heap-growing-percent=20', '--no-concurrent-recompilation'],
  // Most of what it reads is garbage soon: with a young generation as small as that, it would spend a quarter
  // of its time collecting it.
  run: ['--max-semi-space-size=8', '--heap-growing-percent=50', '--no-concurrent-recompilation'],
}

/**
 * Starts Node again in this same process, with flags that it takes from its command line only, where the
 * command is a server. Does nothing if they are set already, or if a process cannot be replaced
 * (Windows).
 */
export function becomeServerProcess(argv: readonly string[], env: NodeJS.ProcessEnv): void {
  const [, main, command = ''] = argv
  const flags = Object.hasOwn(SERVER_FLAGS, command) ? SERVER_FLAGS[command] : undefined
  if (main === undefined || flags === undefined || process.execve === undefined) return
  if (process.platform === 'win32' || isBounded([...execArgv, env.NODE_OPTIONS ?? ''])) return
  process.execve(execPath, [execPath, ...flags, ...execArgv, main, ...argv.slice(2)], env)
}

const isBounded = (flags: readonly string[]): boolean =>
  flags.some((flag) => /--max[-_]semi[-_]space[-_]size/.test(flag))

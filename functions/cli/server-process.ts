import { execArgv, execPath } from 'node:process'

/**
 * A server lives long and its objects stay, for which V8's own choice is wasteful: with 50,000 objects these take half of its memory away.
 * The young generation, which else grows to thrice 32 MB; how much garbage the old one gathers before it is looked at; and the
 * optimizing compilers' own memory, which stays with each thread that they ever ran on.
 */
const SERVER_FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=20', '--no-concurrent-recompilation']

/** Commands that serve, and nothing else. */
const SERVERS: ReadonlySet<string | undefined> = new Set(['control-plane'])

/**
 * Starts Node again in this same process, with flags that it takes from its command line only, where the command is a server. Does nothing
 * where they are given already, by whoever started it or by this, and where a process cannot be replaced (Windows).
 */
export function becomeServerProcess(argv: readonly string[], env: NodeJS.ProcessEnv): void {
  const [, main, command] = argv
  if (main === undefined || !SERVERS.has(command) || process.execve === undefined) return
  if (process.platform === 'win32' || isBounded([...execArgv, env.NODE_OPTIONS ?? ''])) return
  process.execve(execPath, [execPath, ...SERVER_FLAGS, ...execArgv, main, ...argv.slice(2)], env)
}

const isBounded = (flags: readonly string[]): boolean =>
  flags.some((flag) => /--max[-_]semi[-_]space[-_]size/.test(flag))

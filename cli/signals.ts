import { EXIT_CODES } from './exit-codes.ts'

/** Resolves to the first of SIGTERM and SIGINT; a second one ends the process at once. */
export function untilTerminated(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const first = (signal: NodeJS.Signals): void => {
      for (const name of ['SIGTERM', 'SIGINT'] as const) {
        process.removeListener(name, first)
        process.once(name, () => process.exit(1))
      }
      resolve(signal)
    }
    process.on('SIGTERM', first)
    process.on('SIGINT', first)
  })
}

/**
 * Ends the process when its reader closes the pipe, as `head` does: that is no failure. So does output that
 * cannot be written, which is one.
 */
export function endWithReader(): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit()
    process.stderr.write(`sliceflow: failed to write to standard output: ${message}\n`)
    process.exit(EXIT_CODES.failed.code)
  })
  // A log that cannot be written, as on a full disk, cannot be reported: what runs goes on without it.
  process.stderr.on('error', () => undefined)
}

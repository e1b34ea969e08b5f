import { spawn } from 'node:child_process'
import { BinariesError } from '../support/go-program.ts'

/**
 * Runs a program to its end; what it says goes to standard error.
 * @param advice what to do where there is no such program
 * @throws BinariesError
 */
export async function runProgram(command: string, args: readonly string[], advice: string): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 2, 2] })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve)
    child.on('error', (cause) =>
      reject(new BinariesError(`failed to run ${command}: ${cause.message}; ${advice}`, { cause })),
    )
  })
  if (code !== 0) throw new BinariesError(`failed to run ${command} ${args.join(' ')}: it ended with ${code}`)
}

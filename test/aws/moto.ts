import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../cluster/free-port.ts'
import { BinariesError, isExecutable, programCache } from '../support/go-program.ts'

/** An emulator of AWS' API on this machine. */
export interface Emulator {
  readonly endpoint: string
  stop(): Promise<void>
}

const MOTO_VERSION = '5.2.5'
const READY_EVERY_MS = 100
const READY_ATTEMPTS = 300

/**
 * Starts moto's server, which is installed into the cache first where it is missing: a minute, once a machine.
 * @throws BinariesError if Python is missing or the installation fails
 */
export async function startEmulator(report: (line: string) => void): Promise<Emulator> {
  const program = await ensureMoto(report)
  const port = await freePort()
  const child = spawn(program, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  const ended = once(child, 'close')
  const endpoint = `http://127.0.0.1:${port}`
  for (let attempt = 0; !(await answers(endpoint)); attempt++) {
    if (attempt === READY_ATTEMPTS || child.exitCode !== null)
      throw new BinariesError(`failed to start ${program}: it does not answer at ${endpoint}`)
    await new Promise((resolve) => setTimeout(resolve, READY_EVERY_MS))
  }
  return {
    endpoint,
    async stop() {
      child.kill()
      await ended
    },
  }
}

async function ensureMoto(report: (line: string) => void): Promise<string> {
  const folder = programCache(`moto-${MOTO_VERSION}`)
  const program = join(folder, 'bin', 'moto_server')
  if (await isExecutable(program)) return program
  report(`installing moto ${MOTO_VERSION} into ${folder}`)
  try {
    await run('python3', ['-m', 'venv', folder])
    await run(join(folder, 'bin', 'pip'), ['install', '--quiet', `moto[server]==${MOTO_VERSION}`])
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  return program
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve)
    child.on('error', (cause) =>
      reject(
        new BinariesError(`failed to run ${command}: ${cause.message}; install Python 3 with venv`, {
          cause,
        }),
      ),
    )
  })
  if (code !== 0) throw new BinariesError(`failed to run ${command} ${args.join(' ')}: it ended with ${code}`)
}

const answers = (endpoint: string): Promise<boolean> =>
  fetch(`${endpoint}/moto-api/`).then(
    ({ ok }) => ok,
    () => false,
  )

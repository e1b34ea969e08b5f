import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../cluster/free-port.ts'
import { BinariesError, isExecutable, programCache } from '../support/go-program.ts'
import { runProgram } from './run-program.ts'

/** An emulator of AWS' API on this machine. */
export interface Emulator {
  readonly endpoint: string
  stop(): Promise<void>
}

const MOTO_VERSION = '5.2.5'
const READY_EVERY_MS = 100
const READY_ATTEMPTS = 300

/**
 * Starts moto's server, which is installed into the cache first where it is missing: a minute, once a
 * machine.
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
    await runProgram('python3', ['-m', 'venv', folder], 'install Python 3 with venv')
    await runProgram(
      join(folder, 'bin', 'pip'),
      ['install', '--quiet', `moto[server]==${MOTO_VERSION}`],
      'install Python 3 with venv',
    )
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  return program
}

const answers = (endpoint: string): Promise<boolean> =>
  fetch(`${endpoint}/moto-api/`).then(
    ({ ok }) => ok,
    () => false,
  )

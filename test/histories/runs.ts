import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type SliceflowProcess, startSliceflowProcess } from '../support/sliceflow-process.ts'
import type { SelectionMode } from '../support/world/index.ts'

import { NAMESPACES_OF_HISTORY } from './objects.ts'

/** Settings that a restart may change. All processes of a history have the same. */
interface RunSettings {
  readonly maxEndpointsPerSlice: number
  readonly refusedAddresses: string
}

/** Values that a history draws from. */
export const RUN_SETTINGS = {
  maxEndpointsPerSlice: [2, 3, 5, 100],
  refusedAddresses: ['special', '10.1.3.0/24', '10.1.2.0/24,fd00:1::2:0/112'],
} as const

/** Seconds between sweeps: longer than a history, as a sweep hides that a key was lost. */
const SWEEP_SECONDS = 86_400

const FLEET_FLAGS = ['--fleet', '--fleet-cluster-selection']

/** The second process is a second run, or a standby of the first one. */
export type Role = 'first' | 'second' | 'standby'

/** The `sliceflow run` processes of a history. */
export interface Runs {
  readonly running: readonly Role[]
  readonly settings: RunSettings
  /** Highest maximum so far: a slice above a maximum that was lowered is left alone. */
  readonly highestMaximum: number
  /** Starts a process, which need not be ready yet. Default: the first one. */
  start(role?: Role): Promise<void>
  /** Ends a process with this signal, and waits for its end. */
  end(role: Role, signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  killAll(): Promise<void>
  /** Sets the settings of processes that start from now on. */
  set(settings: Partial<RunSettings>): void
  /** @throws Error if a process ended by itself or is not ready after `READY_MS` */
  untilReady(): Promise<void>
  /** Writes what each process logged to files of the folder. */
  writeLogs(): Promise<void>
}

interface RunsOptions {
  readonly mode: SelectionMode
  /** Name of a fault that is put into Sliceflow. */
  readonly fault?: string
  readonly fleet?: boolean
  readonly folder: string
  readonly kubeconfig: string
  readonly contexts: readonly string[]
  /** URL of a queue that all of them use, each with a `--state-dir`. Default: embedded ones. */
  readonly queue?: string
}

interface Run {
  readonly name: string
  readonly process: SliceflowProcess
  /** Its exit code, or that a signal ended it; undefined while it runs. */
  readonly exit: () => number | 'a signal' | undefined
}

/** Longer than the time for which a start waits for a cluster that cannot be reached. */
const READY_MS = 120_000
const MODULE = fileURLToPath(new URL('../perturbation/fault-hook.ts', import.meta.url))

export function createRuns({
  mode,
  fault,
  fleet = false,
  folder,
  kubeconfig,
  contexts,
  queue,
}: RunsOptions): Runs {
  const running = new Map<Role, Run>()
  const all: Run[] = []
  let settings: RunSettings = { maxEndpointsPerSlice: 3, refusedAddresses: 'special' }

  let highestMaximum = settings.maxEndpointsPerSlice

  const flags = (role: Role): string[] => [
    ...contexts.flatMap((context) => ['--context', context]),
    ...['--mode', mode],
    ...['--endpoint-selectors', 'true'],
    ...['--max-endpoints-per-slice', String(settings.maxEndpointsPerSlice)],
    ...['--refused-addresses', settings.refusedAddresses],
    ...['--sweep-interval', String(SWEEP_SECONDS)],
    ...(queue === undefined ? [] : ['--queue', queue, '--function-timeout', '5']),
    // A standby has no checkpoint.
    ...(queue === undefined || role === 'standby' ? [] : ['--state-dir', join(folder, `state-${role}`)]),
    ...['--record', join(folder, `record-${role}.ndjson`)],
    ...(fleet ? [...FLEET_FLAGS, '--fleet-namespaces', NAMESPACES_OF_HISTORY.join()] : []),
    ...(role === 'standby' ? ['--relay-standby'] : []),
  ]

  return {
    get running() {
      return [...running.keys()]
    },
    get highestMaximum() {
      return highestMaximum
    },
    get settings() {
      return settings
    },
    async start(role = 'first') {
      if (running.has(role)) throw new Error(`the ${role} process runs already`)
      const process = startSliceflowProcess({
        kubeconfig,
        flags: flags(role),
        ...(fault !== undefined && { nodeFlags: ['--import', MODULE] }),
        env: {
          AWS_ACCESS_KEY_ID: 'local',
          AWS_SECRET_ACCESS_KEY: 'local',
          ...(fault !== undefined && { SLICEFLOW_TEST_FAULT: fault }),
        },
      })
      let exit: number | 'a signal' | undefined
      void process.ended.then((code) => {
        exit = code ?? 'a signal'
      })
      const run = { name: `${all.length + 1}-${role}`, process, exit: () => exit }
      running.set(role, run)
      all.push(run)
    },
    async end(role, signal) {
      const run = running.get(role)
      if (run === undefined) throw new Error(`the ${role} process does not run`)
      running.delete(role)
      run.process.kill(signal)
      await run.process.ended
    },
    async killAll() {
      await Promise.all([...running.keys()].map((role) => this.end(role, 'SIGKILL')))
    },
    set(changed) {
      settings = { ...settings, ...changed }
      highestMaximum = Math.max(highestMaximum, settings.maxEndpointsPerSlice)
    },
    async untilReady() {
      await Promise.all([...running].map(([role, run]) => untilReady(role, run)))
    },
    async writeLogs() {
      for (const { name, process } of all)
        await writeFile(join(folder, `${name}.log`), `${process.stderr}${process.stdout}`)
    },
  }
}

async function untilReady(role: Role, { process, exit }: Run): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`the ${role} process is not ready after ${READY_MS / 1000} s`)),
    READY_MS,
  )
  try {
    await Promise.race([process.ready, late.promise])
  } finally {
    clearTimeout(timer)
  }
  if (exit() !== undefined)
    throw new Error(`the ${role} process ended with ${exit()}:\n${process.stderr.slice(-2_000)}`)
}

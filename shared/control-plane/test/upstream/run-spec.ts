import { execFile } from 'node:child_process'
import type { Spec } from './specs.ts'

interface Surroundings {
  /** Upstream's e2e.test. */
  readonly program: string
  readonly kubectl: string
  /** The file of a user who may do everything. */
  readonly kubeconfig: string
  readonly folder: string
}

export interface Outcome {
  readonly spec: Spec
  readonly passed: boolean
  readonly seconds: number
  /** Output of the program. */
  readonly output: string
  /** Reason of its failure, in a line; empty if it passed. */
  readonly reason: string
}

/** The slowest one takes about a minute where it passes. */
const TIMEOUT_MS = 300_000

/** Runs one spec in a process of its own, so that none can spoil another. */
export async function runSpec(spec: Spec, surroundings: Surroundings): Promise<Outcome> {
  const started = performance.now()
  const { code, output } = await execute(surroundings, flagsFor(spec, surroundings))
  const passed = code === 0 && / 1 Passed /.test(output)
  const seconds = (performance.now() - started) / 1000
  return { spec, passed, seconds, output, reason: passed ? '' : reasonIn(output) }
}

/**
 * Returns the flags. There are neither nodes nor pods to wait for, and after a failure it would collect logs
 * of nodes.
 */
const flagsFor = ({ name }: Spec, { kubeconfig, kubectl }: Surroundings): string[] => [
  `--kubeconfig=${kubeconfig}`,
  `--kubectl-path=${kubectl}`,
  '--provider=local',
  '--num-nodes=2',
  '--allowed-not-ready-nodes=-1',
  '--minStartupPods=0',
  '--system-pods-startup-timeout=1s',
  '--dump-logs-on-failure=false',
  '--disable-log-dump=true',
  '--ginkgo.no-color',
  `--ginkgo.timeout=${TIMEOUT_MS / 1000}s`,
  `--ginkgo.focus=${name.replaceAll(/[^\w ]/g, '\\$&')}`,
]

function execute(
  { program, folder }: Surroundings,
  flags: readonly string[],
): Promise<{ code: unknown; output: string }> {
  return new Promise((resolve) => {
    const options = { cwd: folder, timeout: TIMEOUT_MS + 30_000, maxBuffer: 2 ** 28 }
    execFile(program, flags, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), output: stdout + stderr })
    })
  })
}

/**
 * Finds the reason in the output. Ginkgo says first where, then why: the line with the reason, and the lines
 * after it if the message has several.
 */
function reasonIn(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  const failed = lines.findIndex((line) => /^\[(FAILED|PANICKED|TIMEDOUT)\] (?!in |\[)/.test(line))
  if (failed === -1) return lines.findLast((line) => line !== '') ?? ''
  return lines
    .slice(failed, failed + 3)
    .join(' ')
    .slice(0, 300)
}

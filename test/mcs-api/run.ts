import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startSliceflowProcess } from '../support/sliceflow-process.ts'
import { startClusters, type TestedClusters } from './clusters.ts'
import { DATA_PLANE_LABELS, DATA_PLANE_NAME, type FleetOutcome, readReport } from './report.ts'

export interface FleetRun {
  /** Upstream's suite. */
  readonly program: string
  /** Number of clusters. */
  readonly clusters: number
  /** Specs whose names have this text. */
  readonly only?: string | undefined
  /** Gets what the suite and Sliceflow print. */
  readonly output: (text: string) => void
}

/** Runs the specs one by one against `sliceflow run --fleet`. */
export async function runFleetSuite({
  program,
  clusters: count,
  only,
  output,
}: FleetRun): Promise<FleetOutcome[]> {
  const names = Array.from({ length: count }, (_, index) => `cluster-${index + 1}`)
  await using clusters = await startClusters(names)
  const contexts = names.flatMap((name) => ['--context', name])
  const sliceflow = startSliceflowProcess({ kubeconfig: clusters.user, flags: ['--fleet', ...contexts] })
  try {
    await sliceflow.ready
    await runProgram(program, { clusters, names, only, output })
  } finally {
    sliceflow.kill('SIGTERM')
    await sliceflow.ended
    output(sliceflow.stderr)
  }
  return readReport(await readFile(join(clusters.folder, 'report.json'), 'utf8'))
}

interface ProgramRun extends Pick<FleetRun, 'only' | 'output'> {
  readonly clusters: TestedClusters
  readonly names: readonly string[]
}

/** Runs the suite. It ends with 1 if a spec fails; the report says which. */
async function runProgram(program: string, { clusters, names, only, output }: ProgramRun): Promise<void> {
  const flags = [
    `--kubeconfig=${clusters.admin}`,
    `--contexts=${names.join(',')}`,
    '--ginkgo.no-color',
    '--ginkgo.v',
    `--ginkgo.label-filter=${DATA_PLANE_LABELS.map((label) => `!${label}`).join(' && ')}`,
    `--ginkgo.skip=${DATA_PLANE_NAME}`,
    `--ginkgo.json-report=${join(clusters.folder, 'report.json')}`,
    ...(only === undefined ? [] : [`--ginkgo.focus=${only.replaceAll(/[^\w ]/g, '\\$&')}`]),
  ]
  const child = spawn(program, flags, { cwd: clusters.folder, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.on('data', (chunk: Buffer) => output(String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => output(String(chunk)))
  await new Promise((resolve, reject) => {
    child.on('close', resolve)
    child.on('error', reject)
  })
}

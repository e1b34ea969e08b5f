import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { upstreamProgram } from '../../../shared/endpointslice/test/differential/program.ts'
import type { BenchCase } from './bench-cases.ts'
import type { Measurement } from './measure.ts'

/**
 * Measures one Reconcile call of k8s.io/endpointslice on the case, with a client that does nothing.
 * @throws Error if the program fails
 */
export async function measureUpstream(benchCase: BenchCase): Promise<Measurement> {
  const program = await upstreamProgram((line) => process.stderr.write(`${line}\n`))
  const child = spawn(program, ['bench'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const output = text(child.stdout)
  child.stdin.end(`${JSON.stringify(benchCase)}\n`)
  const line = await output
  if (line === '') throw new Error(`failed to time upstream on ${benchCase.id}: it gave no answer`)
  return JSON.parse(line)
}

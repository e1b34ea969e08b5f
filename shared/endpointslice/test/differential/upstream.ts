import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Outcome, TestCase } from './test-case.ts'

/**
 * The in-tree controller's reconciler (k8s.io/endpointslice), in a process that answers one case after the
 * other.
 */
export interface Upstream {
  /**
   * Plans the case this many times, and returns each different outcome once.
   * @throws UpstreamError if the process has ended
   */
  outcomes(testCase: TestCase, runs: number): Promise<Outcome[]>
  /** Ends the process. */
  close(): Promise<void>
}

/** The process ended before it gave an answer; the message holds what it said. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
}

const STDERR_KEPT = 4096

/** @param program its path, see upstreamProgram() */
export function startUpstream(program: string): Upstream {
  const child = spawn(program, [], { stdio: 'pipe' })
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk).slice(-STDERR_KEPT)
  })
  child.on('error', (error) => {
    complaint += error.message
  })
  // Writing to a process that has ended fails here, but what counts is that no answer comes.
  child.stdin.on('error', () => {})
  const closed = once(child, 'close')
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()

  async function outcomes(testCase: TestCase, runs: number): Promise<Outcome[]> {
    child.stdin.write(`${JSON.stringify({ ...testCase, runs })}\n`)
    const { value, done } = await answers.next()
    if (done) {
      await closed
      throw new UpstreamError(
        `failed to plan case ${testCase.id}: upstream ended: ${complaint.trim() || 'without a word'}`,
      )
    }
    return JSON.parse(value).outcomes
  }

  async function close(): Promise<void> {
    child.stdin.end()
    await closed
  }

  return { outcomes, close }
}

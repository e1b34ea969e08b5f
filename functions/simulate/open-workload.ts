import type { RecordingLine } from '../../shared/recording/index.ts'
import { type RecordedWorkload, recordedWorkload } from '../../shared/simulation/index.ts'
import { inOrder, openRecording, type RecordingQuery } from '../history/index.ts'

/** Objects of several workers cover so many milliseconds each, at most, and come one after the other. */
const DISORDER_MS = 5 * 60_000

/**
 * Opens a recording as a workload; each run reads it anew. Of a line that cannot be read `onProblem` is told
 * once.
 * @throws HistoryError where a source cannot be read
 * @throws RecordedWorkloadError where there is nothing to simulate
 */
export function openWorkload({ from, onProblem, ...wanted }: RecordingQuery): Promise<RecordedWorkload> {
  const reading = tellOnce(onProblem)
  const open = (): AsyncIterable<RecordingLine> => {
    const lines = openRecording({ from, onProblem: reading(), ...wanted })
    // The lines of one process are in order, and it alone has written a file.
    return from.some((source) => source.startsWith('s3://')) ? inOrder(lines, DISORDER_MS) : lines
  }
  return recordedWorkload({ open, ...wanted })
}

/**
 * Tells each problem once. Every reading of a recording meets the same ones in the same order: only the first
 * that meets a problem tells it.
 * @returns what a reading that begins tells of problems
 */
export function tellOnce(onProblem: (problem: string) => void): () => (problem: string) => void {
  let relayEvent = 0
  return () => {
    let met = 0
    return (problem) => {
      met++
      if (met <= relayEvent) return
      relayEvent = met
      onProblem(problem)
    }
  }
}

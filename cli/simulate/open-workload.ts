import type { RecordingLine } from '../../shared/recording/index.ts'
import { type RecordedWorkload, recordedWorkload } from '../../shared/simulation/index.ts'
import { inOrder, openRecording, type RecordingQuery } from '../history/index.ts'

/**
 * Opens a recording as a workload; each run reads it again. `onProblem` is called once per invalid line.
 * @throws HistoryError where a source cannot be read
 * @throws RecordedWorkloadError where there is nothing to simulate
 */
export function openWorkload({ from, onProblem, ...wanted }: RecordingQuery): Promise<RecordedWorkload> {
  const reading = reportOnce(onProblem)
  const open = (): AsyncIterable<RecordingLine> => {
    const lines = openRecording({ from, isReadAgain: true, onProblem: reading(), ...wanted })
    // The lines of one process are in order, and it alone has written a file.
    return from.some((source) => source.startsWith('s3://')) ? inOrder(lines) : lines
  }
  return recordedWorkload({ open, ...wanted })
}

/**
 * Reports each problem once. Every read of a recording has the same problems in the same order; only the
 * first read that reaches a problem reports it.
 * @returns a callback for the problems of a new read
 */
export function reportOnce(onProblem: (problem: string) => void): () => (problem: string) => void {
  let reported = 0
  return () => {
    let met = 0
    return (problem) => {
      met++
      if (met <= reported) return
      reported = met
      onProblem(problem)
    }
  }
}

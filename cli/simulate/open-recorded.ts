import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import type { RecordedWorkload } from '../../shared/simulation/index.ts'
import type { RecordingQuery } from '../history/index.ts'
import { openWorkload, reportOnce } from './open-workload.ts'
import { replayInWorker } from './replay-worker.ts'

/**
 * Opens a recording as a workload; each run reads it again, a large one in a thread of its own if there is
 * more than one processor. `onProblem` is called once per invalid line.
 * @throws HistoryError where a source cannot be read
 * @throws RecordedWorkloadError where there is nothing to simulate
 */
export async function openRecorded({ onProblem, ...query }: RecordingQuery): Promise<RecordedWorkload> {
  const reading = reportOnce(onProblem)
  const workload = await openWorkload({ ...query, onProblem: reading() })
  if (availableParallelism() === 1 || !(await isLarge(query.from))) return workload
  return { ...workload, relayEvents: () => replayInWorker({ ...query, onProblem: reading() }) }
}

/** A thread takes about as long to start as a recording of this size to be read. */
const LARGE_BYTES = 8 * 2 ** 20

/** Decides by file size; sizes of S3 objects are unknown before they are listed. */
async function isLarge(from: readonly string[]): Promise<boolean> {
  const files = from.flatMap((source) => [source, `${source}.1`])
  const sizes = files.map((file) =>
    stat(file).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  return bytes >= LARGE_BYTES || from.some((source) => source.startsWith('s3://'))
}

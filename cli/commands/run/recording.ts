import { hostname } from 'node:os'
import { createRecorder, openFileSink } from '../../../shared/recording/index.ts'
import { recordedShare, type Settings } from '../../../shared/settings/index.ts'
import { type Log, throttleWarnings } from '../../../shared/telemetry/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { UsageError } from '../../usage.ts'

interface RecordingParts {
  readonly settings: Settings
  readonly logger: Log
  readonly onLost: (records: number) => void
}

/** A disk that hangs must not hold up the end, in milliseconds. */
const CLOSE_MS = 1_000

/**
 * Opens the file of `--record`; undefined where nothing is to be recorded.
 * @throws UsageError when it cannot be opened, or is missing
 */
export async function openRecording(file: string | undefined, { settings, logger, onLost }: RecordingParts) {
  const share = recordedShare(settings)
  if (share === 0) return undefined
  if (file === undefined) throw new UsageError('--recording: name the file to record to with --record')
  const quiet = throttleWarnings(logger)
  const onProblem = (err: unknown): void => quiet.warn({ file, err }, 'cannot write the recording')
  const sink = await openFileSink({ file, onProblem }).catch((error: unknown) => {
    throw new UsageError(`--record: cannot record to ${file}: ${errorMessage(error)}`)
  })
  const recorder = createRecorder({
    sink,
    worker: `${hostname()}-${process.pid}`,
    share,
    settings,
    onLost: (records) => {
      onLost(records)
      quiet.warn({ file, records }, 'records are lost; the slices are right without them')
    },
  })
  logger.info({ file, share }, 'recording')
  return {
    recorder,
    /** Writes what waits, unless the disk does not take it in time. */
    close(): Promise<void> {
      recorder.settle()
      return Promise.race([sink.close(), new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS))])
    },
  }
}

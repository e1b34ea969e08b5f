import { recordedShare, type Settings } from '../../shared/settings/index.ts'
import { type Log, throttleWarnings } from '../../shared/telemetry/index.ts'
import { once } from '../../shared/values/index.ts'
import { type Environment, required, VARIABLES } from './environment.ts'

interface DeployedRecordingOptions {
  readonly environment: Environment
  readonly settings: Settings
  /** Names this process or execution environment, and no other. */
  readonly worker: string
  /** Gives the id of the invocation that runs, where there is one. */
  readonly request?: () => string | undefined
  readonly logger: Log
  readonly onLost: (records: number) => void
}

/**
 * Opens the recording of a function or a relay, objects in a bucket, where the setting `recording` asks for
 * one. S3's client is loaded meanwhile.
 * @throws EnvironmentError where the bucket is not named
 */
export async function openDeployedRecording({
  environment,
  settings,
  logger,
  ...options
}: DeployedRecordingOptions) {
  const share = recordedShare(settings)
  if (share === 0) return undefined
  const bucket = required(environment, VARIABLES.recordings)
  const quiet = throttleWarnings(logger)
  const open = once(async () => {
    const { createPutObject } = await import('./object-access.ts')
    return createPutObject(bucket)
  })
  // Concurrently with the first keys; a failure is reported with the first object.
  open().catch(() => undefined)
  // Loaded only where something is recorded.
  const { createObjectSink } = await import('../../shared/recording/writing/object-sink.ts')
  const { createRecorder } = await import('../../shared/recording/writing/recorder.ts')
  const sink = createObjectSink({
    worker: options.worker,
    put: async (key, body, signal) => (await open())(key, body, signal),
    onProblem: (err) => quiet.warn({ bucket, err }, 'cannot store a recording'),
  })
  const recorder = createRecorder({ sink, share, settings, ...options })
  return {
    recorder,
    /** Stores what waits. Never rejects: what is not stored when `signal` aborts is lost. */
    flush(signal: AbortSignal): Promise<void> {
      recorder.settle()
      return sink.flush(signal)
    },
  }
}

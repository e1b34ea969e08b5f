import { onTestFinished } from 'vitest'
import {
  type SliceflowProcess,
  type SliceflowProcessOptions,
  startSliceflowProcess,
} from './sliceflow-process.ts'

/** Starts `sliceflow run`, which is killed when the test ends. */
export function startTestRun(options: SliceflowProcessOptions): SliceflowProcess {
  const run = startSliceflowProcess(options)
  onTestFinished(async () => {
    run.kill('SIGKILL')
    await run.ended
  })
  return run
}

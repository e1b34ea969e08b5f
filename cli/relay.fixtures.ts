import { onTestFinished } from 'vitest'
import { createMetrics, type StatusDocument } from './local/index.ts'

/** Serves what `run --metrics-port` serves until the test ends. Returns its URL. */
export async function serveStatus(document?: () => StatusDocument): Promise<string> {
  const metrics = createMetrics(document)
  onTestFinished(() => metrics.stop())
  return (await metrics.listen(0)).url
}

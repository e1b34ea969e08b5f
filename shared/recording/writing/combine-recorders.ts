import type { ServiceKey } from '../../changes/index.ts'
import type { Recorder } from './recorder.ts'

/** Returns a recorder that forwards to several others; each receives only the Services that it records. */
export function combineRecorders(...recorders: readonly Recorder[]): Recorder {
  const forEachOf = (key: ServiceKey, how: (one: Recorder) => void): void => {
    for (const one of recorders) if (one.records(key)) how(one)
  }
  return {
    records: (key) => recorders.some((one) => one.records(key)),
    saw: (key, slices) => forEachOf(key, (one) => one.saw(key, slices)),
    wrote: (key, write) => forEachOf(key, (one) => one.wrote(key, write)),
    gone: (key, slice) => forEachOf(key, (one) => one.gone(key, slice)),
    failed: (key) => forEachOf(key, (one) => one.failed(key)),
    sent: (key) => forEachOf(key, (one) => one.sent(key)),
  }
}

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects at once what nothing refers to any more. */
export const collectGarbage: () => void = runInNewContext('gc')

/** Bytes of what is referred to; from call to call it differs by some 20 kB though nothing was kept. */
export function heapUsed(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

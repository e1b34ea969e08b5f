import { requestTimeout } from '../../apimachinery/errors/factories.ts'

/** Time that upstream takes at most to handle a write. */
const LONGEST_MS = 34_000

/**
 * Does a write again while it comes out as undefined: another writer has changed the object while admission
 * was at work. Rejects with a 504 when that goes on for too long.
 */
export async function untilDone<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  const begun = performance.now()
  for (;;) {
    const result = await attempt()
    if (result !== undefined) return result
    if (performance.now() - begun > LONGEST_MS) throw requestTimeout()
  }
}

import type { WriteRecord } from '../../recording/index.ts'

/** Knows how long looks took lately, from the sending of their message until the answer to a write. */
export interface LookTimes {
  add(record: WriteRecord): void
  /** One of them, in milliseconds; undefined as long as none is known. @param share 0 to below 1 */
  draw(share: number): number | undefined
}

/** So many of the last. */
const KEPT = 512
/** What took longer had waited for something else, such as a retry. */
const LONGEST_MS = 60_000

export function createLookTimes(): LookTimes {
  const times: number[] = []
  let count = 0
  return {
    add({ message, time }) {
      if (message?.sentAt === undefined || message.receiveCount > 1) return
      const ms = Date.parse(time) - Date.parse(message.sentAt)
      if (ms >= 0 && ms <= LONGEST_MS) times[count++ % KEPT] = ms
    },
    draw: (share) => times[Math.floor(share * times.length)],
  }
}

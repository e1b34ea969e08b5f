import { keyText } from '../changes/index.ts'
import type { KeyMessage } from './message.ts'
import type { QueueSender } from './sender.ts'

/** Sends batches of keys one after the other. @returns how many the queue accepted, and what it did not */
export async function sendBatches(
  sender: QueueSender,
  batches: AsyncIterable<readonly KeyMessage[]>,
  signal: AbortSignal | undefined,
): Promise<{ readonly sent: number; readonly problem: string | undefined }> {
  let [sent, missing, refusal] = [0, 0, '']
  for await (const batch of batches) {
    const { accepted, unsent, rejected } = await sender.send(batch, signal)
    sent += accepted.length
    missing += unsent.length + rejected.length
    for (const { item, reason } of rejected) refusal ||= `; ${keyText(item)}: ${reason}`
  }
  const problem = `failed to send ${missing} of ${sent + missing} keys to the queue${refusal}`
  return { sent, problem: missing > 0 ? problem : undefined }
}

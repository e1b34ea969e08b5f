import { type AuditSlots, SLOT_SECONDS } from '../audit/index.ts'

export interface AuditTimerOptions {
  readonly slots: AuditSlots
  /** Called at the beginning of each slot with its number. */
  readonly onSlot: (slot: number) => void
  /** Milliseconds since the epoch; default: the clock. */
  readonly now?: () => number
}

const SLOT_MS = SLOT_SECONDS * 1000

/**
 * Calls back at the start of each slot of the audit, until it is stopped, as a schedule does in a deployment.
 * Slots that were missed while the machine slept are combined, at most those of one interval. The slot in
 * which
 * it starts is skipped until the next interval.
 * @returns stops it
 */
export function startAuditTimer({ slots, onSlot, now = Date.now }: AuditTimerOptions): () => void {
  let last = Math.floor(now() / SLOT_MS)
  let timer: NodeJS.Timeout | undefined

  function plan(): void {
    timer = setTimeout(tell, Math.max(0, (last + 1) * SLOT_MS - now()))
  }

  function tell(): void {
    const current = Math.floor(now() / SLOT_MS)
    for (let slot = Math.max(last + 1, current - slots.count + 1); slot <= current; slot++)
      onSlot(slots.at(slot * SLOT_MS))
    last = Math.max(last, current)
    plan()
  }

  plan()
  return () => clearTimeout(timer)
}

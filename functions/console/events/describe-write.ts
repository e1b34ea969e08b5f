import { endpointChanges, type SliceWrite } from '../../../shared/recording/index.ts'
import { counted } from '../../explain/index.ts'
import { eventsOfWrite, summarizeEvents } from '../../history/index.ts'

const DONE = { create: 'made', update: 'written', delete: 'deleted' } as const

/**
 * Describes a write in one line, with the words of `sliceflow history`: what went, changed and came, and why.
 * @param at when it was answered, in milliseconds since the epoch
 */
export function describeWrite({ action, before, after, reasons }: SliceWrite, at: number): string {
  const slice = after ?? before
  const { went, ...rest } = endpointChanges(before?.endpoints ?? [], after?.endpoints ?? [])
  const events = eventsOfWrite(
    {
      ...rest,
      went:
        slice === undefined
          ? []
          : went.map((endpoint) => ({ endpoint, ...reasons.removalCauseOf(endpoint, slice) })),
      pods: {},
    },
    [],
  )
  const parts = [summarizeEvents(events) || 'the same endpoints', ...notesOf(reasons, at)]
  return `slice ${slice?.metadata?.name} ${DONE[action]}: ${parts.join('; ')}`
}

function notesOf({ hold, fights, postponed, message }: SliceWrite['reasons'], at: number): string[] {
  const sinceSent = at - Date.parse(message?.sentAt ?? '')
  return [
    ...(hold === 'held' ? ['the plan is held, as it removes too much'] : []),
    ...(hold === 'released' || hold === 'expired' ? ['the plan had been held'] : []),
    ...(fights ? [`left alone, as somebody keeps editing them: ${fights.join(', ')}`] : []),
    ...(postponed ? [`${counted(postponed, 'further write')} will follow`] : []),
    ...(sinceSent >= 0 ? [`${sinceSent} ms after its key was sent`] : []),
  ]
}

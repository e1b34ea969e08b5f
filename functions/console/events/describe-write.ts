import type { Endpoint } from '../../../shared/endpointslice/index.ts'
import { type Alteration, endpointChanges, type SliceWrite } from '../../../shared/recording/index.ts'
import { counted } from '../../explain/index.ts'

const DONE = { create: 'made', update: 'written', delete: 'deleted' } as const
/** So many addresses are named; more are counted. */
const MAX_NAMED = 3

/**
 * Tells a write in one line: what came, went and changed, and why.
 * @param at when it was answered, in milliseconds since the epoch
 */
export function describeWrite({ action, before, after, reasons }: SliceWrite, at: number): string {
  const slice = after ?? before
  const { came, went, changed } = endpointChanges(before?.endpoints ?? [], after?.endpoints ?? [])
  const whyLeft = (endpoint: Endpoint): string => {
    const { cause, to } = slice === undefined ? { cause: 'Gone' } : reasons.removalCauseOf(endpoint, slice)
    return to === undefined ? `left (${cause})` : `moved to ${to}`
  }
  const groups = [
    ['came', came] as const,
    ...Map.groupBy(went, whyLeft),
    ...Map.groupBy(changed, whatChanged),
  ].filter(([, endpoints]) => endpoints.length > 0)
  const changes = groups.map(([what, endpoints]) => `${named(endpoints)} ${what}`)
  const parts = [...(changes.length === 0 ? ['the same endpoints'] : changes), ...notesOf(reasons, at)]
  return `slice ${slice?.metadata?.name} ${DONE[action]}: ${parts.join('; ')}`
}

function whatChanged({ from, to }: Alteration): string {
  const [before, after] = [from, to].map(({ conditions }) => conditions?.ready !== false)
  if (before === after) return 'changed'
  return after ? 'became ready' : 'became unready'
}

const named = (endpoints: readonly { readonly addresses: readonly string[] }[]): string =>
  endpoints.length > MAX_NAMED
    ? counted(endpoints.length, 'endpoint')
    : endpoints.map(({ addresses }) => addresses.join('/')).join(', ')

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

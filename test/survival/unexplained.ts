import {
  type EndpointEvent,
  type HistoryEntry,
  HistoryError,
  ofService,
  openRecording,
  timelineOf,
} from '../../cli/history/index.ts'
import type { ServiceKey } from '../../shared/changes/index.ts'
import type { Loss } from './losses.ts'

/** The watch may be late, and its clock is the workers'; in milliseconds. */
const LATE_MS = 5_000

/** Returns the losses of which `sliceflow history` does not say who wrote them, when, and why. */
export async function unexplained(
  losses: readonly Loss[],
  {
    file,
    cluster,
    namespace,
  }: { readonly file: string; readonly cluster: string; readonly namespace: string },
): Promise<Loss[]> {
  const left: Loss[] = []
  for (const [service, ofOne] of Map.groupBy(losses, (loss) => loss.service)) {
    const told = await timeline(file, { cluster, namespace, service })
    left.push(...ofOne.filter((loss) => !told.some((entry) => explains(entry, loss))))
  }
  return left
}

async function timeline(file: string, key: ServiceKey): Promise<HistoryEntry[]> {
  const onProblem = (): void => {}
  const entries: HistoryEntry[] = []
  try {
    const lines = ofService(openRecording({ from: [file], cluster: key.cluster, onProblem }), key)
    for await (const entry of timelineOf(lines)) entries.push(entry)
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
  }
  return entries
}

function explains(entry: HistoryEntry, { address, time }: Loss): boolean {
  if (!('endpoints' in entry) || entry.worker === '' || Date.parse(entry.time) < time - LATE_MS) return false
  return entry.endpoints.some((event) => event.addresses.includes(address) && isReason(event, entry))
}

/**
 * Reports whether an entry gives a reason. Our own writes have a cause; writes of others are shown as theirs.
 */
function isReason(event: EndpointEvent, { kind }: HistoryEntry): boolean {
  switch (event.event) {
    case 'Left':
      return kind !== 'Write' || event.cause !== undefined
    case 'Moved':
      return true
    case 'Changed':
      return event.to.conditions?.ready === false
    case 'Came':
    case 'Found':
      return false
  }
}

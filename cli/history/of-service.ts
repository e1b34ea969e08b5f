import { keyText, ownerText, type ServiceKey } from '../../shared/changes/index.ts'
import type { RecordingLine } from '../../shared/recording/index.ts'
import { HistoryError } from './sources/files.ts'

/** Maximum number of names listed in the error if a recording lacks the Service. */
const NAMED = 10

/**
 * Yields the lines of one Service, and the lines about what may be missing of its cluster.
 * @throws HistoryError at the end, where there was none of it: with the names that there are
 */
export async function* ofService(
  lines: AsyncIterable<RecordingLine>,
  key: ServiceKey,
): AsyncGenerator<RecordingLine> {
  const { cluster, namespace, service, ownerKind = 'Service' } = key
  const wanted = keyText(key)
  const clusters = new Set<string>()
  const services = new Set<string>()
  let isFound = false
  for await (const line of lines) {
    note(clusters, line.cluster)
    if (line.cluster !== cluster) continue
    const isOfAll = line.kind === 'start' || line.kind === 'lost'
    if (!isOfAll) note(services, ownerText(line))
    if (!isOfAll && keyText(line) !== wanted) continue
    isFound ||= !isOfAll
    yield line
  }
  if (isFound) return
  const there = clusters.has(cluster)
    ? `of that cluster it has ${namesOf(services, 'no Service')}`
    : `it has ${namesOf(clusters, 'no records')}`
  throw new HistoryError(
    `there is nothing of ${ownerKind} ${namespace}/${service} of cluster ${cluster} in the recording: ${there}`,
  )
}

/** Records a name, at most one more than the error lists. */
function note(names: Set<string>, name: string): void {
  if (names.size <= NAMED) names.add(name)
}

function namesOf(names: ReadonlySet<string>, none: string): string {
  if (names.size === 0) return none
  const shown = [...names].slice(0, NAMED).sort().join(', ')
  return names.size > NAMED ? `${shown} and more` : shown
}

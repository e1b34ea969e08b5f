/** A spec of Ginkgo's JSON report, what is read of it. */
interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null
  readonly ContainerHierarchyLabels: readonly (readonly string[] | null)[] | null
  readonly LeafNodeText: string
  readonly LeafNodeType: string
  readonly LeafNodeLabels: readonly string[] | null
  readonly State: string
  /** Nanoseconds. */
  readonly RunTime: number
  readonly Failure?: { readonly Message: string }
}

export interface FleetOutcome {
  readonly name: string
  readonly required: boolean
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly seconds: number
  /** Reason why it failed or was skipped; empty if it passed. */
  readonly reason: string
}

/** Specs with one of these labels send packets between pods, or ask a DNS server from within one. */
export const DATA_PLANE_LABELS = ['Connectivity', 'DNS']
/** And this one, which has no label that says so. */
export const DATA_PLANE_NAME = 'Connectivity to remote services'

/** Reads what Ginkgo wrote with `--json-report`: every spec, and what else failed, such as the set-up. */
export function readReport(text: string): FleetOutcome[] {
  const suites: readonly { readonly SpecReports: readonly SpecReport[] | null }[] = JSON.parse(text)
  return suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(({ LeafNodeType, State }) => LeafNodeType === 'It' || /^(failed|panicked)$/.test(State))
    .map(outcomeOf)
    .sort((a, b) => Number(b.required) - Number(a.required) || (a.name < b.name ? -1 : 1))
}

function outcomeOf(spec: SpecReport): FleetOutcome {
  const labels = [...(spec.ContainerHierarchyLabels ?? []), spec.LeafNodeLabels].flatMap((all) => all ?? [])
  const texts = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText || spec.LeafNodeType]
  const name = texts.filter((text) => text !== '').join(' ')
  const state = /^(passed|skipped)$/.test(spec.State) ? (spec.State as 'passed' | 'skipped') : 'failed'
  return {
    name,
    state,
    required: labels.includes('Required'),
    seconds: spec.RunTime / 1e9,
    reason: reasonOf(state, { name, labels, message: spec.Failure?.Message ?? spec.State }),
  }
}

function reasonOf(
  state: FleetOutcome['state'],
  { name, labels, message }: { name: string; labels: readonly string[]; message: string },
): string {
  if (state === 'passed') return ''
  if (state === 'failed') return message.split('\n').slice(0, 6).join(' ').slice(0, 300)
  const sendsPackets =
    name.includes(DATA_PLANE_NAME) || labels.some((label) => DATA_PLANE_LABELS.includes(label))
  return sendsPackets ? 'needs pods that run' : message
}

/** Formats a table of all, and the sum. */
export function tableOf(outcomes: readonly FleetOutcome[]): string {
  const count = (wanted: FleetOutcome['state']): number =>
    outcomes.filter(({ state }) => state === wanted).length
  const lines = outcomes.map(({ name, required, state, seconds, reason }) => {
    const verdict = state === 'failed' ? 'FAILED ' : state
    const time = state === 'skipped' ? '' : `${seconds.toFixed(1)} s`
    return `${verdict} ${required ? 'required' : 'optional'} ${time.padStart(7)}  ${name}${reason && `\n        ${reason}`}\n`
  })
  const sum = `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped of ${outcomes.length}\n`
  return `${lines.join('')}${sum}`
}

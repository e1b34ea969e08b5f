import type { FleetDryRun, FleetPolicy, MemberDryRun, PortChoice } from '../../../shared/fleet/index.ts'
import { didYouMean } from '../../../shared/schema/index.ts'
import type { ImportReport, OwnReport, PolicyReport, ServingReport } from './report.ts'

export const reportPolicy = ({ own, weights }: FleetPolicy): PolicyReport => ({
  ...(own && { prefer: 'own', ...own }),
  weights: Object.fromEntries(weights),
})

const below = (threshold = 0): string => (threshold === 0 ? 'where none is ready' : `below ${threshold} %`)

/** Describes a policy in a line. */
export function policyText({ prefer, failoverBelow, returnAt, weights }: PolicyReport): string {
  const named = Object.entries(weights).map(([cluster, weight]) => `${cluster} ${weight} %`)
  return [
    ...(prefer === undefined
      ? []
      : [`own endpoints are preferred, all clusters' ${below(failoverBelow)}, back at ${returnAt} %`]),
    ...(named.length === 0 ? [] : [`shares of ${named.join(', ')}`]),
  ].join('; ')
}

/** Names the clusters that have a weight and that the set does not have, in warnings. */
export function policyWarnings({ merge, members }: FleetDryRun): string[] {
  const ids = members.map(({ member }) => member.id)
  const unknown = [...(merge.merged?.policy?.weights.keys() ?? [])].filter((id) => !ids.includes(id))
  return unknown.map(
    (id) => `the policy has a weight of ${id}, which is no cluster of the set${didYouMean(id, ids)}`,
  )
}

/** Lists the choices of a cluster for each port and family; none where there is no policy. */
export const choicesOf = ({ outcome }: MemberDryRun): readonly PortChoice[] => [
  ...(outcome?.choices?.values() ?? []),
]

export const reportOwn = (dryRun: MemberDryRun): OwnReport[] =>
  choicesOf(dryRun).flatMap(({ family, port, own }) => {
    if (own === undefined) return []
    const { ready, known, isFailedOver } = own
    return [{ family, port, ready, known, isFailedOver }]
  })

/** Reports which clusters serve an import whose export selects them. */
export const reportServing = (dryRun: MemberDryRun): ServingReport[] =>
  choicesOf(dryRun).map(({ family, port, selector, ...choice }) => ({
    family,
    port,
    ...(selector !== undefined && { selector }),
    clusters: servingIn(choice),
  }))

const servingIn = ({ clusters, frozen }: Pick<PortChoice, 'clusters' | 'frozen'>): string[] => {
  const all = [...frozen, ...[...clusters].map(([cluster, { serves }]) => [cluster, serves] as const)]
  return all.flatMap(([cluster, serves]) => (serves ? [cluster] : [])).sort()
}

/** Says which selector's clusters serve; equal ports are listed once. */
export function servingNotes({ serving = [] }: Pick<ImportReport, 'serving'>): string[] {
  const notes = serving.map(({ selector, clusters }) =>
    selector === undefined
      ? 'all clusters serve: no selector has one with an endpoint that is ready or serving'
      : `clusterSelectors[${selector}] serves: ${clusters.join(', ')}`,
  )
  return [...new Set(notes)]
}

/** Describes the state of the own endpoints of a cluster; equal ports are listed once. */
export function ownNotes({ own = [] }: Pick<ImportReport, 'own'>): string[] {
  const notes = own.map(({ ready, known, isFailedOver }) =>
    isFailedOver
      ? `fails over: ${ready} of ${known} own endpoints ready, other clusters' are taken as well`
      : `prefers its own endpoints: ${ready} of ${known} ready`,
  )
  return [...new Set(notes)]
}

/**
 * Says for which ports a policy leaves an endpoint out of a cluster, or selectors of clusters have others
 * serve, and why; each reason once.
 */
export function policyNotes(
  choices: readonly PortChoice[],
  { family, address, source }: { readonly family: string; readonly address: string; readonly source: string },
  policy: FleetPolicy | undefined,
): string[] {
  const ofFamily = choices.filter((choice) => choice.family === family)
  const offered = ofFamily.filter(({ clusters }) => clusters.get(source)?.offered.has(address))
  const isTaken = ({ clusters }: PortChoice): boolean => clusters.get(source)?.taken.has(address) === true
  const lacking = offered.filter((choice) => !isTaken(choice) || !choice.clusters.get(source)?.serves)
  const byReason = Map.groupBy(lacking, (choice) =>
    isTaken(choice) ? selectionReason(choice) : reasonOf(choice, source, policy),
  )
  const isWhole = lacking.length === offered.length && byReason.size === 1
  return [...byReason].map(([reason, some]) =>
    isWhole ? reason : `not for ${some.map(({ port }) => port).join(', ')}: ${reason}`,
  )
}

function selectionReason({ selector = 0, ...choice }: PortChoice): string {
  return `clusterSelectors[${selector}] has ${servingIn(choice).join(', ')} serve: it is there for consumers that choose clusters themselves`
}

function reasonOf({ own, clusters }: PortChoice, source: string, policy: FleetPolicy | undefined): string {
  if (own !== undefined && !own.isFailedOver)
    return `own cluster's ${own.ready} of ${own.known} endpoints are ready, fails over ${below(policy?.own?.failoverBelow)}`
  const { weight = 0, offered = new Map(), taken = new Set() } = clusters.get(source) ?? {}
  if (weight === 0) return `the weight of ${source} is 0`
  const ready = [...offered].filter(([, state]) => state.ready)
  const chosen = ready.filter(([address]) => taken.has(address))
  return `the weight of ${source} is ${weight}: ${chosen.length} of its ${ready.length} ready endpoints are taken`
}

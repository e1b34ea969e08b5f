import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import { type KubeObject, timestamp } from '../../apimachinery/objects.ts'
import type { ContentReport } from './content-elsewhere.ts'

interface Problem {
  readonly type: string
  readonly reason: string
  readonly message: string
}

/** Conditions without a problem. */
const FINE: readonly Problem[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  {
    type: 'NamespaceContentRemaining',
    reason: 'ContentRemoved',
    message: 'All content successfully removed',
  },
  {
    type: 'NamespaceFinalizersRemaining',
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
]

/** Returns the namespace with conditions that say what holds it, in upstream's words. */
export function withDeletionConditions(
  namespace: KubeObject,
  report: ContentReport,
  now: number,
): KubeObject {
  const status = objectAt(namespace, 'status')
  const problems = problemsOf(report)
  const known = objectsAt(status, 'conditions')
  const made = FINE.map((fine): JsonObject => {
    const problem = problems.find(({ type }) => type === fine.type)
    const { type, reason, message } = problem ?? fine
    const state = problem ? 'True' : 'False'
    const before = known.find((condition) => condition.type === type)
    const since = before?.status === state ? stringAt(before, 'lastTransitionTime') : timestamp(now)
    return { type, status: state, lastTransitionTime: since, reason, message }
  })
  const others = known.filter(({ type }) => !FINE.some((fine) => fine.type === type))
  return { ...namespace, status: { ...status, conditions: [...others, ...made] } }
}

function problemsOf({ remaining, finalizers, undiscovered, failures }: ContentReport): Problem[] {
  const groups = undiscovered.map((name) => `${name}: stale GroupVersion discovery: ${name}`).sort()
  return [
    {
      isSo: groups.length > 0,
      type: 'NamespaceDeletionDiscoveryFailure',
      reason: 'DiscoveryFailed',
      message: `Discovery failed for some groups, ${groups.length} failing: unable to retrieve the complete list of server APIs: ${groups.join(', ')}`,
    },
    {
      isSo: failures.length > 0,
      type: 'NamespaceDeletionContentFailure',
      reason: 'ContentDeletionFailed',
      message: `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(', ')}`,
    },
    {
      isSo: remaining.size > 0,
      type: 'NamespaceContentRemaining',
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${counts(remaining, 'has')}`,
    },
    {
      isSo: finalizers.size > 0,
      type: 'NamespaceFinalizersRemaining',
      reason: 'SomeFinalizersRemain',
      message: `Some content in the namespace has finalizers remaining: ${counts(finalizers, 'in')}`,
    },
  ].flatMap(({ isSo, ...problem }) => (isSo ? [problem] : []))
}

function counts(all: ReadonlyMap<string, number>, word: string): string {
  return [...all]
    .map(([name, count]) => `${name} ${word} ${count} resource instances`)
    .sort()
    .join(', ')
}

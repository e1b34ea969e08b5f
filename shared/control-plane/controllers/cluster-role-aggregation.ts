import { matchesLabels } from '../../kubernetes/index.ts'
import type { JsonValue } from '../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, objectsAt, sameJson } from '../apimachinery/json/values.ts'
import { type KubeObject, labelsOf } from '../apimachinery/objects.ts'
import { requirementsOf } from '../apimachinery/selectors.ts'
import type { ControllerClient, Following } from './client/controller-client.ts'
import { CLUSTER_ROLES } from './client/resources.ts'
import { Workers } from './workers.ts'

/** All roles are synced together. */
const KEY = 'all'

/**
 * Keeps the rules of cluster roles with an `aggregationRule` what those of the roles that it selects are
 * together, each rule once and roles by name (upstream's clusterrole-aggregation-controller). Returns the
 * function that ends it.
 */
export function startClusterRoleAggregation(
  client: ControllerClient,
  onError: (error: unknown) => void,
): () => void {
  const queue = new Workers<string>({
    work: async () => {
      await roles.listed
      await aggregateAll(client, roles)
    },
    onError,
  })
  // One sync after a burst of changes is enough: it covers all roles. Those of the first sync count, too:
  // roles aggregate aggregated ones.
  const roles = client.follow(CLUSTER_ROLES, {}, () => queue.add(KEY, KEY))
  return () => {
    roles.stop()
    queue.stop()
  }
}

/** Goes backwards by name: `admin` has the rules of `edit`, which has those of `view`. */
async function aggregateAll(client: ControllerClient, following: Following): Promise<void> {
  const aggregated = following.list().filter(({ aggregationRule }) => isObject(aggregationRule))
  for (const role of aggregated.toSorted(byName).reverse()) {
    const others = following.list().filter(({ metadata }) => metadata.name !== role.metadata.name)
    const rules = aggregatedRules(role, others.toSorted(byName))
    if (!sameJson(rules, role.rules ?? [])) await client.update(CLUSTER_ROLES, { ...role, rules })
  }
}

const byName = (a: KubeObject, b: KubeObject): number =>
  (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1

function aggregatedRules(role: KubeObject, others: readonly KubeObject[]): JsonValue[] {
  const selectors = objectsAt(objectAt(role, 'aggregationRule'), 'clusterRoleSelectors').map(requirementsOf)
  const rules: JsonValue[] = []
  for (const other of others) {
    if (!selectors.some((selector) => matchesLabels(selector, labelsOf(other)))) continue
    for (const rule of objectsAt(other, 'rules')) {
      if (!rules.some((known) => sameJson(known, rule))) rules.push(rule)
    }
  }
  return rules
}

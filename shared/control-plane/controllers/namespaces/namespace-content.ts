import { finalizersOf, type KubeObject } from '../../apimachinery/objects.ts'
import { type ControllerClient, isNotFound, type ServedResource } from '../client/controller-client.ts'
import type { ContentReport } from './content-elsewhere.ts'

const METADATA = { metadataOnly: true }
/** Number of resources that are emptied at the same time. */
const CONCURRENCY = 8

interface Tally {
  readonly remaining: Map<string, number>
  readonly finalizers: Map<string, number>
  readonly undiscovered: readonly string[]
  readonly failures: string[]
}

/**
 * Deletes what is in a namespace, of all resources that can be listed and deleted. Returns what is left. As
 * long as there are pods nothing else is deleted: they may need it to end well (KEP-5080).
 */
export async function emptyNamespace(client: ControllerClient, namespace: string): Promise<ContentReport> {
  const { resources, undiscovered } = await client.discover()
  const tally: Tally = { remaining: new Map(), finalizers: new Map(), undiscovered, failures: [] }
  const all = resources.filter(
    ({ namespaced, verbs }) => namespaced && verbs.includes('delete') && verbs.includes('list'),
  )
  const [pods] = all.filter(isPods)
  if (pods !== undefined) await emptyResource(client, pods, { namespace, tally })
  if (tally.remaining.size > 0) return tally
  const waiting = all.filter((resource) => !isPods(resource))
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      await emptyResource(client, next, { namespace, tally })
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return tally
}

const isPods = ({ group, plural }: ServedResource): boolean => group === '' && plural === 'pods'

async function emptyResource(
  client: ControllerClient,
  resource: ServedResource,
  { namespace, tally }: { readonly namespace: string; readonly tally: Tally },
): Promise<void> {
  try {
    const found = await client.list(resource, namespace, METADATA)
    const deleted = found.filter((object) => !isWaiting(object))
    for (const object of deleted) await client.delete(resource, object, { propagationPolicy: 'Background' })
    const left = deleted.length === 0 ? found : await client.list(resource, namespace, METADATA)
    count(tally, resource, left)
  } catch (error) {
    // A definition may have been deleted since the server was asked for what it has.
    if (!isNotFound(error)) tally.failures.push(error instanceof Error ? error.message : String(error))
  }
}

function count(tally: Tally, { plural, group }: ServedResource, left: readonly KubeObject[]): void {
  if (left.length > 0) tally.remaining.set(`${plural}.${group}`, left.length)
  for (const finalizer of left.flatMap(finalizersOf))
    tally.finalizers.set(finalizer, (tally.finalizers.get(finalizer) ?? 0) + 1)
}

/** Reports whether an object is deleted already, and held by finalizers or its grace period: just wait. */
function isWaiting(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata
  return (
    deletionTimestamp !== undefined && (finalizersOf(object).length > 0 || deletionGracePeriodSeconds > 0)
  )
}

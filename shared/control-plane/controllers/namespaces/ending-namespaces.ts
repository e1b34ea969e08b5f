import type { JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { isConflict, isNotFound } from '../client/controller-client.ts'

/** Reports whether a namespace is gone or being deleted: nothing can be made in it. */
export const isEnding = (namespace: KubeObject | undefined): boolean =>
  namespace?.metadata.deletionTimestamp !== undefined || namespace === undefined

/**
 * Waits for something to be made in a namespace that may have ended meanwhile, which is fine, as it is where
 * another writer has made it: its change queues the namespace again.
 */
export async function unlessEnding(creation: Promise<void>): Promise<void> {
  try {
    await creation
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error) && !isTerminating(error)) throw error
  }
}

/** Reports whether an error is a 403 because the namespace is being deleted. */
function isTerminating(error: unknown): boolean {
  if (!(error instanceof Error) || !('status' in error)) return false
  const status = error.status as JsonValue
  const details = isObject(status) && isObject(status.details) ? status.details : undefined
  return objectsAt(details, 'causes').some(({ reason }) => reason === 'NamespaceTerminating')
}

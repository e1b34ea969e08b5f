import type { CoreEvent } from '../../shared/endpointslice/index.ts'
import { EVENTS } from '../../shared/kubernetes/index.ts'
import type { Scene } from './scene.ts'

/**
 * Reads our own Events in the scene's namespace. The API server's repair of cluster IPs writes Events on
 * Services too.
 */
export async function readEvents({ client, namespace }: Scene): Promise<CoreEvent[]> {
  const { items } = await client.list(EVENTS, { namespace })
  return items.filter(({ source }) => source?.component === 'sliceflow')
}

/** Returns the reasons of our Events, each once. */
export async function readReasons(scene: Scene): Promise<string[]> {
  return [...new Set((await readEvents(scene)).map(({ reason }) => reason ?? ''))]
}

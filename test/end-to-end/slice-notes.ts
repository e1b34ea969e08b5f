import { sealNotes } from '../../shared/reconciler/index.ts'
import type { Scene } from './scene.ts'

const LONG_AGO = '2001-01-01T00:00:00.000Z'

/**
 * Writes a note of the guards on the first slice of the Service `web`, as a function would have done long
 * ago.
 */
export async function noteLongAgo(scene: Scene, note: string): Promise<void> {
  const [slice] = await scene.slices('web')
  if (slice === undefined) throw new Error('there is no slice')
  const annotations = { ...slice.metadata?.annotations, [note]: LONG_AGO }
  const { metadata } = sealNotes({ ...slice, metadata: { ...slice.metadata, annotations } })
  await scene.editSlice(slice.metadata?.name ?? '', { metadata: { annotations: metadata?.annotations } })
}

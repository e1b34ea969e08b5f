import type { Selection } from '../../changes/index.ts'
import { type EndpointSlice, type Endpoints, objectFault, type Service } from '../../endpointslice/index.ts'
import { type ApiClient, ENDPOINTS } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { Guards } from '../guards/index.ts'
import { type MirrorSettings, planMirrors } from '../plan/index.ts'
import { readObject } from '../read/index.ts'
import { NOTHING_WRITTEN } from '../slice-changes.ts'
import type { Purpose, SyncResult } from '../sync-result.ts'
import { knownAfter, versionOf, versionsOf } from '../verify-after-write.ts'
import type { PlanWriter } from '../write/index.ts'
import type { PublishPlan } from './publish-plan.ts'
import type { Reporter } from './reporter.ts'
import type { UnmanagedSync } from './sync-unmanaged.ts'

/** A Service without a selector, or one that has got one since its slices mirrored Endpoints. */
export interface Mirrored {
  readonly service: Service
  readonly selection: Selection & { readonly kind: 'mirrored' | 'unmanaged' }
  /** Slices as of {@link planMirrors}. */
  readonly slices: readonly EndpointSlice[]
}

export interface MirroredSyncOptions {
  readonly client: ApiClient
  readonly key: KeyMessage
  readonly settings: MirrorSettings
  readonly guards: Guards
  readonly reporter: Reporter
  readonly writer: PlanWriter
  readonly publishPlan: PublishPlan
  readonly giveUp: UnmanagedSync['giveUp']
  readonly signal: AbortSignal
}

/**
 * Creates step 3 of a sync of a Service whose slices mirror Endpoints, as the in-tree mirroring controller
 * makes them. Slices that we made for it otherwise go once the mirrors are there.
 * @throws KubernetesError when a read failed
 * @throws SliceWriteError when writes failed for other reasons than a conflict
 */
export function createMirroredSync({
  client,
  key,
  settings,
  guards,
  reporter,
  writer: { takenNames },
  publishPlan,
  giveUp,
  signal,
}: MirroredSyncOptions): (mirrored: Mirrored, purpose: Purpose) => Promise<SyncResult> {
  const ref = { namespace: key.namespace, name: key.service }

  async function mirror(
    { service, selection, slices: all }: Mirrored,
    endpoints: Endpoints | undefined,
    purpose: Purpose,
  ): Promise<SyncResult> {
    const { addresses } = guards
    const { slices, planned, events, left, hasMirrors } = planMirrors({
      ...{ service, selection, endpoints, slices: all },
      ...{ settings, addresses, takenNames },
    })
    if (!hasMirrors) return giveUp(service, left, purpose)
    const seenEndpoints = selection.kind === 'mirrored' && { endpoints: { version: versionOf(endpoints) } }
    const result = await publishPlan(
      {
        ...{ service, slices, planned, owner: endpoints },
        basis: { kind: 'NotNamed' },
        inputsOf: (_, written) => ({
          service: versionOf(service),
          ...seenEndpoints,
          pods: new Map(),
          unread: {
            pods: new Set(),
            known: knownAfter(versionsOf(slices), written),
            hasCreated: written.created.length > 0,
          },
        }),
      },
      purpose,
    )
    if (purpose !== 'compare') for (const event of events) await reporter.event(service, event)
    return result
  }

  return async (mirrored, purpose) => {
    const { kind } = mirrored.selection
    const endpoints = kind === 'mirrored' ? await readObject(client, ENDPOINTS, ref, { signal }) : undefined
    const message = endpoints && objectFault('Endpoints', endpoints)
    if (message === undefined) return mirror(mirrored, endpoints, purpose)
    reporter.skipped([{ kind: 'Endpoints', ...ref, reason: 'Malformed', message }])
    return NOTHING_WRITTEN
  }
}

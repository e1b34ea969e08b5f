import type { Selection } from '../../changes/index.ts'
import { type EndpointSlice, type Endpoints, objectFault, type Service } from '../../endpointslice/index.ts'
import { ENDPOINTS } from '../../kubernetes/index.ts'
import { planMirrors } from '../plan/plan-mirrors.ts'
import { readObject } from '../read/read-object.ts'
import { NOTHING_WRITTEN } from '../slice-changes.ts'
import type { Purpose, SyncResult } from '../sync-result.ts'
import { versionOf, versionsAfter } from '../verify-after-write.ts'
import type { KeySync } from './key-sync.ts'
import { publishPlan } from './publish-plan.ts'
import { giveUpSlices } from './sync-unmanaged.ts'

/** A Service without a selector, or one that has got one since its slices mirrored Endpoints. */
interface Mirrored {
  readonly service: Service
  readonly selection: Selection & { readonly kind: 'mirrored' | 'unmanaged' }
  /** Slices as of {@link planMirrors}. */
  readonly slices: readonly EndpointSlice[]
}

/**
 * Step 3 of a sync of a Service whose slices mirror Endpoints, as the in-tree mirroring controller makes
 * them. Slices that we made for it otherwise go once the mirrors are there.
 * @throws KubernetesError when a read failed
 * @throws SliceWriteError when writes failed for other reasons than a conflict
 */
export async function syncMirrored(sync: KeySync, mirrored: Mirrored, purpose: Purpose): Promise<SyncResult> {
  const { key, home, reporter, signal } = sync
  const ref = { namespace: key.namespace, name: key.service }
  const isMirrored = mirrored.selection.kind === 'mirrored'
  const endpoints = isMirrored ? await readObject(home.client, ENDPOINTS, ref, { signal }) : undefined
  const message = endpoints && objectFault('Endpoints', endpoints)
  if (message === undefined) return publishMirrors(sync, { ...mirrored, endpoints }, purpose)
  reporter.skipped([{ kind: 'Endpoints', ...ref, reason: 'Malformed', message }])
  return NOTHING_WRITTEN
}

async function publishMirrors(
  sync: KeySync,
  { service, selection, slices: all, endpoints }: Mirrored & { readonly endpoints: Endpoints | undefined },
  purpose: Purpose,
): Promise<SyncResult> {
  const { settings, guards, writer } = sync
  const { slices, planned, events, left, hasMirrors } = planMirrors({
    ...{ service, selection, endpoints, slices: all },
    ...{ settings, addresses: guards.addresses, takenNames: writer.takenNames },
  })
  if (!hasMirrors) return giveUpSlices(sync, { service, slices: left, purpose })
  const seenEndpoints = selection.kind === 'mirrored' && { endpoints: { version: versionOf(endpoints) } }
  const result = await publishPlan(
    sync,
    {
      ...{ service, slices, planned, owner: endpoints },
      basis: { kind: 'NotNamed' },
      inputsOf: (_, written) => ({
        service: versionOf(service),
        ...seenEndpoints,
        pods: new Map(),
        slices: written.created.length > 0 ? versionsAfter(slices, written) : undefined,
      }),
    },
    purpose,
  )
  if (purpose !== 'compare') for (const event of events) await sync.reporter.event(service, event)
  return result
}

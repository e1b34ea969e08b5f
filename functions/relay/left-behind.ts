import {
  isLeftBehind,
  leftBehindAdvice,
  otherOwner,
  ownerText,
  type ServiceKey,
  STAYS_BEHIND_ADVICE,
  unpublishedAdvice,
} from '../../shared/changes/index.ts'
import { LABEL_MANAGED_BY } from '../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'

interface LeftBehindOptions {
  readonly client: ApiClient
  readonly managedBy: string
  /** Services that this mode does not manage, and whose slices of ours stay. */
  readonly services: readonly ServiceKey[]
  /** Slices of ours of other owners that the settings publish no more, by the owners' kinds. */
  readonly unpublished: ReadonlyMap<string, number>
  readonly logger: Log
  readonly signal: AbortSignal
}

/**
 * Warns of slices that we made with other settings and that nothing updates any more: a Pod that is gone
 * stays in them. They are searched once, by their metadata.
 */
export async function warnOfLeftBehind({
  client,
  managedBy,
  services,
  unpublished,
  logger,
  signal,
}: LeftBehindOptions): Promise<void> {
  const { cluster } = client
  const [first] = services
  if (first !== undefined)
    logger.warn(
      { cluster, services: services.length, such: ownerText(first) },
      `slices of ours stay at Services that this mode does not manage, and nothing updates them: ${STAYS_BEHIND_ADVICE}`,
    )
  warnOfUnpublished({ cluster, managedBy, unpublished, logger })
  const labelSelector = `${LABEL_MANAGED_BY}!=${managedBy}`
  const values = new Map<string, number>()
  try {
    for await (const { items } of client.pages(ENDPOINT_SLICES, {
      labelSelector,
      metadataOnly: true,
      signal,
    }))
      for (const slice of items) {
        const value = slice.metadata?.labels?.[LABEL_MANAGED_BY] ?? ''
        if (isLeftBehind(slice, managedBy)) values.set(value, (values.get(value) ?? 0) + 1)
      }
  } catch (err) {
    if (signal.aborted) return
    logger.warn({ cluster, err }, 'cannot search for slices of ours with another managed-by value')
  }
  for (const [value, slices] of values)
    logger.warn(
      { cluster, managedBy: value, slices },
      `slices of ours have another managed-by value, and nothing updates them: ${leftBehindAdvice(value)}`,
    )
}

function warnOfUnpublished({
  cluster,
  managedBy,
  unpublished,
  logger,
}: Pick<LeftBehindOptions, 'managedBy' | 'unpublished' | 'logger'> & { readonly cluster: string }): void {
  for (const [kind, slices] of unpublished) {
    const other = otherOwner(kind)
    if (other === undefined) continue
    const advice = unpublishedAdvice(other, managedBy)
    logger.warn({ cluster, slices }, `slices of ours are of ${kind}s, and ${advice}`)
  }
}

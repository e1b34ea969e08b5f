import type {
  ApplyConflict,
  ApplyResult,
  EndpointSlice,
  Service,
  SliceClient,
} from '../endpointslice/index.ts'
import {
  type Changes,
  createSealedSliceClient,
  createSliceClient,
  type Fight,
  guardPlan,
  slicesAfter,
  slicesByName,
  writeSlices,
} from '../reconciler/index.ts'
import { derivedServiceName } from './derived-name.ts'
import type { FleetContext } from './fleet-context.ts'
import { type ImportedSlicesInput, planImportedSlices } from './plan-imported-slices.ts'
import type { FleetCluster } from './read-fleet.ts'

/** How many slices were written, and which were left alone as others keep changing them. */
export interface SlicesWritten {
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly fights: readonly Fight[]
  /** What is there by now. */
  readonly slices: readonly EndpointSlice[]
}

export interface SliceSync {
  /**
   * @param notes changes of slices that stay otherwise
   * @throws SliceConflictError where somebody else wrote meanwhile
   * @throws SliceWriteError when writes failed for other reasons
   */
  sync(
    wanted: Pick<ImportedSlicesInput, 'import' | 'derived' | 'ports' | 'sources' | 'kept'> & {
      readonly notes: readonly Changes[]
    },
  ): Promise<SlicesWritten>
  remove(slices: readonly EndpointSlice[]): Promise<SlicesWritten>
}

/** Somebody else wrote a slice after it was read, or made one of the same name. */
export class SliceConflictError extends Error {
  override readonly name = 'SliceConflictError'
  /** `cluster/slice`, where the name is somebody else's. */
  readonly taken: string | undefined

  constructor(cluster: string, { operation, slice }: ApplyConflict) {
    super(`slice ${slice} of cluster ${cluster} was written by somebody else meanwhile`)
    this.taken = operation === 'create' ? `${cluster}/${slice.split('/').at(-1)}` : undefined
  }
}

/**
 * Writes the imported slices of one cluster, by the same guards, seals and conditions as those of Services.
 */
export function createSliceSync(
  { client, member }: FleetCluster,
  slices: readonly EndpointSlice[],
  { set, namespace, name, triggerTime, settings, guards, taken, logger, signal }: FleetContext,
): SliceSync {
  const service = derivedServiceName(namespace, name)
  const key = { cluster: client.cluster, namespace, service }
  const plain = createSliceClient(client, signal)
  // The relay needs no seal to know a deletion of ours: what it sees written is looked at once more.
  const sealed = { ...createSealedSliceClient(plain), delete: plain.delete }
  const prefix = `${client.cluster}/`
  const takenNames = [...taken].flatMap((each) =>
    each.startsWith(prefix) ? [each.slice(prefix.length)] : [],
  )

  async function write(changes: Changes, by: SliceClient): Promise<ApplyResult> {
    const result = await writeSlices(changes, { slices: by, key, logger })
    if (result.conflict !== undefined) throw new SliceConflictError(client.cluster, result.conflict)
    return result
  }

  function writtenBy({ created, updated, deleted }: ApplyResult, fights: readonly Fight[]): SlicesWritten {
    const changes = { create: created, update: updated, delete: deleted }
    return {
      created: created.length,
      updated: updated.length,
      deleted: deleted.length,
      fights,
      slices: [...slicesAfter(slicesByName(slices), changes).values()],
    }
  }

  return {
    async sync({ notes, ...wanted }) {
      const planned = planImportedSlices({
        set,
        home: member.id,
        ...wanted,
        slices,
        takenNames,
        options: {
          maxEndpointsPerSlice: settings.maxEndpointsPerSlice,
          packing: settings.packing,
          triggerTime,
        },
        filter: (source) =>
          guards.addresses.filter({ pods: [], nodes: [], source, skipped: [] }).source ?? source,
      })
      const pseudo: Service = { metadata: { ...wanted.import.metadata, name: service } }
      const input = { service: pseudo, slices, planned, losses: undefined, now: guards.now() }
      const { changes, hold, fights } = guardPlan(input, settings)
      // A note alone keeps the seal that the slice has.
      const isNote = hold.kind === 'held'
      const written = await write(changes, isNote ? plain : sealed)
      const noted: EndpointSlice[] = []
      for (const note of notes) noted.push(...(await write(note, plain)).updated)
      return writtenBy({ ...written, updated: [...written.updated, ...noted] }, fights)
    },
    async remove(some) {
      const changes = { create: [], update: [], delete: [...some] }
      return writtenBy(await write(changes, sealed), [])
    },
  }
}

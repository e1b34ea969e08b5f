import { type ServiceKey, withControls } from '../../changes/index.ts'
import type {
  ApplyConflict,
  ApplyResult,
  EndpointSlice,
  Service,
  SliceClient,
} from '../../endpointslice/index.ts'
import { ConflictError } from '../../kubernetes/index.ts'
import {
  type Changes,
  createSealedSliceClient,
  createSliceClient,
  type Fight,
  type GuardFinding,
  guardPlan,
  HOLDING,
  isBlocked,
  slicesAfter,
  slicesByName,
  updatesOf,
  writeSlices,
} from '../../reconciler/index.ts'
import type { FleetContext } from '../fleet-context.ts'
import { RELEASE_IMPORT } from '../fleet-events.ts'
import { derivedServiceName, sourceOf } from '../import-owner.ts'
import { type Choices, leftOutByChoice } from '../policy/choose-endpoints.ts'
import type { FleetCluster } from '../read/read-fleet.ts'
import type { ImportSource } from './imported-endpoints.ts'
import { type ImportedService, isServing, planImportedSlices } from './plan-imported-slices.ts'

/** Counts of the slices written, and the slices left alone as others keep changing them. */
export interface SlicesWritten {
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly fights: readonly Fight[]
  readonly findings: readonly GuardFinding[]
  /** Parts of other clusters' slices that were left out; default 0. */
  readonly leftOut?: number
  /** Endpoints that a policy has chosen; absent where there is none. */
  readonly choices?: Choices
  readonly slices: readonly EndpointSlice[]
}

interface WantedSlices extends ImportedService {
  readonly sources: readonly ImportSource[]
  readonly frozen: ReadonlySet<string>
  /** Slices that stay but for a note. */
  readonly noted: readonly EndpointSlice[]
  /** Slices of clusters that cannot be read, without addresses that are refused. */
  readonly filtered: readonly EndpointSlice[]
}

/** Writes the imported slices of one cluster, by the guards, seals and conditions of those of Services. */
export function createSliceSync(
  { client, member }: FleetCluster,
  slices: readonly EndpointSlice[],
  { set, namespace, name, triggerTime, settings, guards, taken, logger, signal }: FleetContext,
) {
  const service = derivedServiceName(namespace, name)
  const key = { cluster: client.cluster, namespace, service }
  const plain = createSliceClient(client, signal)
  const sealed = createSealedSliceClient(plain, guards.writer)
  const prefix = `${client.cluster}/`
  const takenNames = [...taken].flatMap((each) =>
    each.startsWith(prefix) ? [each.slice(prefix.length)] : [],
  )

  async function write(changes: Changes, by: SliceClient): Promise<ApplyResult> {
    const result = await writeSlices(changes, { slices: by, key, logger })
    if (result.conflict !== undefined) throw new SliceConflictError(client.cluster, result.conflict)
    return result
  }

  function writtenBy(
    { created, updated, deleted }: ApplyResult,
    outcome: Pick<SlicesWritten, 'fights' | 'findings' | 'leftOut' | 'choices'>,
  ): SlicesWritten {
    const changes = { create: created, update: updated, delete: deleted }
    return {
      created: created.length,
      updated: updated.length,
      deleted: deleted.length,
      ...outcome,
      slices: [...slicesAfter(slicesByName(slices), changes).values()],
    }
  }

  return {
    /**
     * @throws SliceConflictError when another writer changed a slice meanwhile
     * @throws SliceWriteError when writes failed for other reasons
     */
    async sync({ noted, filtered, ...wanted }: WantedSlices): Promise<SlicesWritten> {
      const { choices, turned, ...planned } = planImportedSlices({
        set,
        home: member.id,
        ...wanted,
        slices,
        takenNames,
        options: {
          maxEndpointsPerSlice: settings.maxEndpointsPerSlice,
          packing: withControls(wanted.import, settings).packing,
          triggerTime,
        },
        filter: (source) =>
          guards.addresses.filter({ pods: [], nodes: [], source, skipped: [] }).source ?? source,
      })
      if (planned.skipped.length > 0) {
        const leftOut = { leftOut: planned.skipped.length, first: planned.skipped[0] }
        logger.warn({ ...key, service: name, clusterSet: set, ...leftOut }, 'parts of slices are left out')
      }
      const pseudo: Service = { metadata: { ...wanted.import.metadata, name: service } }
      // Nothing was planned of those that stay: they keep their notes.
      const active = slices.filter((slice) => !wanted.frozen.has(sourceOf(slice)))
      const leftOut = choices && leftOutByChoice(choices)
      // Of clusters that are selected, those that serve by now come before those that did.
      const isLast: IsLast = (slice) =>
        leftOut?.clusters.has(sourceOf(slice)) === true ||
        (wanted.selected !== undefined && (!isServing(slice) || (slice.endpoints ?? []).length === 0))
      const input = {
        ...{ service: pseudo, slices: active, losses: undefined, now: guards.now(), release: RELEASE_IMPORT },
        ...{ planned, leftOut: leftOut?.addresses },
      }
      const { changes, findings, fights } = guardPlan(input, settings)
      const isHeld = isBlocked(findings)
      if (isHeld) {
        const fields = findings.find(({ instead }) => instead)?.log?.fields
        logger.warn({ ...key, service: name, clusterSet: set, ...fields }, HOLDING)
      }
      const moved = isHeld ? [] : movedSlices(turned, [...noted, ...filtered])
      const [serving, idle] = [moved.filter(isServing), moved.filter((slice) => !isServing(slice))]
      const others = (some: readonly EndpointSlice[]): Changes =>
        updatesOf(some.filter((slice) => !moved.some((one) => isNamed(slice, one))))
      const gained = await write(updatesOf(serving), sealed)
      const written = await writeInOrder(changes, isLast, (part) => write(part, isHeld ? plain : sealed))
      const stays = [
        gained,
        await write(updatesOf(idle), sealed),
        await write(others(noted), plain),
        await write(others(filtered), sealed),
      ].flatMap(({ updated }) => updated)
      if (choices && !isHeld) logFailover(choices, { ...key, service: name }, logger)
      const outcome = { fights, findings, leftOut: planned.skipped.length, choices }
      return writtenBy({ ...written, updated: [...written.updated, ...stays] }, outcome)
    },
    async removeAll(): Promise<SlicesWritten> {
      const removed = await write({ create: [], update: [], delete: [...slices] }, sealed)
      return writtenBy(removed, { fights: [], findings: [] })
    },
  }
}

/** Reports whether a slice loses ready endpoints that others replace: it is written after them. */
type IsLast = (slice: EndpointSlice) => boolean

/**
 * Writes slices that lose endpoints once all others are written. Whatever ends it in between, the endpoints
 * that replace them are there.
 * @throws whatever `write` throws; then nothing more is written
 */
async function writeInOrder(
  changes: Changes,
  isLast: IsLast,
  write: (part: Changes) => Promise<ApplyResult>,
): Promise<ApplyResult> {
  const part = (isOfPart: IsLast): Changes => ({
    create: changes.create.filter(isOfPart),
    update: changes.update.filter(isOfPart),
    delete: changes.delete.filter(isOfPart),
  })
  const first = await write(part((slice) => !isLast(slice)))
  const second = await write(part(isLast))
  return {
    created: [...first.created, ...second.created],
    updated: [...first.updated, ...second.updated],
    deleted: [...first.deleted, ...second.deleted],
    failures: [...first.failures, ...second.failures],
  }
}

const isNamed = (slice: EndpointSlice, { metadata }: EndpointSlice): boolean =>
  slice.metadata?.name === metadata?.name

/** Puts the labels of slices that turn on those of them that change in another way as well. */
const movedSlices = (turned: readonly EndpointSlice[], changed: readonly EndpointSlice[]): EndpointSlice[] =>
  turned.map((slice) => {
    const other = changed.find((one) => isNamed(slice, one))
    return {
      ...slice,
      ...other,
      metadata: { ...slice.metadata, ...other?.metadata, labels: slice.metadata?.labels ?? {} },
    }
  })

/** Logs that endpoints of other clusters come to help, or are not needed any more. */
function logFailover(choices: Choices, key: ServiceKey, logger: FleetContext['logger']): void {
  const moved = [...choices.values()].find(({ own }) => own && own.isFailedOver !== own.wasFailedOver)
  if (moved?.own === undefined) return
  const { ready, known, isFailedOver } = moved.own
  logger.info(
    { ...key, port: moved.port, ready, known },
    isFailedOver ? 'fails over to the endpoints of all clusters' : 'publishes its own endpoints alone again',
  )
}

/** Another writer changed a slice after it was read, or created one of the same name. */
export class SliceConflictError extends Error {
  override readonly name = 'SliceConflictError'
  /** `cluster/slice`, where the name is another owner's. */
  readonly taken: string | undefined

  constructor(cluster: string, { operation, slice }: ApplyConflict) {
    super(`slice ${slice} of cluster ${cluster} was changed by another writer meanwhile`)
    this.taken = operation === 'create' ? `${cluster}/${slice.split('/').at(-1)}` : undefined
  }
}

/** Reports whether another writer changed an object meanwhile, so that it is worth reading again. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ConflictError || error instanceof SliceConflictError

import type { EndpointSlice, SliceClient, SliceOperation } from '../../endpointslice/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { MessageOrigin, Recorder, WriteReasons, WriteRecord } from '../../recording/index.ts'
import type { GuardedPlan } from '../guards/guard-plan.ts'
import { nameOf } from '../guards/published/slice-annotations.ts'
import type { Changes } from '../slice-changes.ts'
import { createRemovalCauses, type PlanBasis, podFinder } from './removal-causes.ts'

/** A plan that is written, and what a recording stores of it. */
export interface WrittenPlan extends Pick<WriteRecord, 'sync' | 'hold' | 'fights'> {
  /** The slices that it was made of. */
  readonly read: readonly EndpointSlice[]
  readonly basis: PlanBasis
}

interface RecordedSlicesOptions {
  readonly recorder: Recorder
  readonly key: KeyMessage
  readonly message?: MessageOrigin | undefined
  readonly changes: Changes
  readonly written: WrittenPlan
}

/** Records each write that the API server has taken, one by one: a worker may end in between. */
export function createRecordedSliceClient(
  client: SliceClient,
  { recorder, key, message, changes, written }: RecordedSlicesOptions,
): SliceClient {
  const { sync = 'whole', hold, fights, read, basis } = written
  const podNamed = podFinder(basis)
  const reasons: WriteReasons = {
    ...{ trigger: key.triggerTime, message, sync, hold, fights },
    removalCauseOf: createRemovalCauses(read, changes, basis),
    podVersion: (name) => podNamed(name)?.metadata?.resourceVersion,
  }
  const current = new Map<string, EndpointSlice>(read.map((slice) => [nameOf(slice), slice]))

  function wrote(action: SliceOperation, slice: EndpointSlice, after?: EndpointSlice): void {
    const name = nameOf(slice)
    recorder.wrote(key, { action, before: current.get(name), after, reasons })
    if (after !== undefined) current.set(name, after)
  }

  async function recording<T>(slice: EndpointSlice, write: Promise<T>): Promise<T> {
    try {
      return await write
    } catch (error) {
      const { code } = (error ?? {}) as { readonly code?: unknown }
      if (code === 404) recorder.gone(key, nameOf(slice))
      else if (!isRefusal(code)) recorder.failed(key)
      throw error
    }
  }

  return {
    async create(slice) {
      const after = await recording(slice, client.create(slice))
      wrote('create', slice, after)
      return after
    },
    async update(slice) {
      const after = await recording(slice, client.update(slice))
      wrote('update', slice, after)
      return after
    },
    async delete(slice) {
      await recording(slice, client.delete(slice))
      wrote('delete', slice)
    },
  }
}

/** Reports whether the API server refused the write. After any other error the write may have been taken. */
const isRefusal = (code: unknown): boolean => typeof code === 'number' && code >= 400 && code < 500

/** Returns the guards' decisions on a plan, as recordings hold them. */
export function guardsSaid({
  findings,
  fights,
}: Omit<GuardedPlan, 'changes'>): Omit<WrittenPlan, 'read' | 'basis'> {
  const hold = findings.find((finding) => finding.hold)?.hold?.state
  return { hold, fights: fights.length > 0 ? fights.flatMap(({ slices }) => slices) : undefined }
}

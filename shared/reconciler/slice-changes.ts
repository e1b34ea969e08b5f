import type { ApplyResult, EndpointSlice, SlicePlan } from '../endpointslice/index.ts'

/** The part of a plan that is written. */
export type Changes = Pick<SlicePlan, 'create' | 'update' | 'delete'>

export const NOTHING_WRITTEN: ApplyResult = { created: [], updated: [], deleted: [], failures: [] }

export const NO_CHANGES: Changes = { create: [], update: [], delete: [] }

export const isEmpty = ({ create, update, delete: remove }: Changes): boolean =>
  create.length + update.length + remove.length === 0

export const updatesOf = (slices: readonly EndpointSlice[]): Changes => ({
  create: [],
  update: [...slices],
  delete: [],
})

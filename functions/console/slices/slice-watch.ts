import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import type { WatchHandler } from '../../../shared/kubernetes/index.ts'
import { printable, redactSecrets } from '../../../shared/telemetry/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { type Picture, type PicturedSlice, picturedSlice, pictureOf } from './picture.ts'

/** A Service's slices in the API server, or why they cannot be read; neither before the first answer. */
export interface SlicesPicture extends Partial<Picture> {
  readonly problem?: string
}

/** Milliseconds within which changes are shown together. */
const TOGETHER_MS = 200
/**
 * Most slices of one Service that are watched. Others are passed over, as anybody who may create slices could
 * make any number.
 */
const MAX_SLICES = 2_000

/** Draws the objects of a watch, and calls back after each change. */
export function createSliceWatch(
  managedBy: string,
  tell: (picture: SlicesPicture) => void,
): WatchHandler<EndpointSlice> {
  let slices = new Map<string, PicturedSlice>()
  let problem: string | undefined
  let timer: NodeJS.Timeout | undefined

  function tellNow(): void {
    clearTimeout(timer)
    timer = undefined
    tell(problem === undefined ? pictureOf(slices.values()) : { problem })
  }

  function put(slice: EndpointSlice): void {
    const name = slice.metadata?.name ?? ''
    if (slices.has(name) || slices.size < MAX_SLICES) slices.set(name, picturedSlice(slice, managedBy))
  }

  function changed(): void {
    timer ??= setTimeout(tellNow, TOGETHER_MS).unref()
  }

  return {
    listing() {
      slices = new Map()
    },
    object: put,
    listed: tellNow,
    changed(slice) {
      put(slice)
      changed()
    },
    deleted({ metadata }) {
      slices.delete(metadata?.name ?? '')
      changed()
    },
    failed(error) {
      problem = printable(redactSecrets(errorMessage(error)))
      tellNow()
    },
    recovered() {
      problem = undefined
      tellNow()
    },
  }
}

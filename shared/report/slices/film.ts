import type { Endpoint } from '../../endpointslice/index.ts'
import { stateOf } from '../elements/index.ts'

/** A slice to be drawn over time. */
export interface FilmedSlice {
  readonly name: string
  readonly endpoints: readonly Endpoint[]
}

/** A Service's slices at one moment: by name, a letter for each endpoint, as {@link stateOf} gives it. */
export interface Frame {
  readonly atMs: number
  readonly slices: ReadonlyMap<string, string>
}

/** Pictures of a Service's slices over time, in bounded number. */
export interface Film {
  /**
   * Records the slices as of this moment. Call it in chronological order. `slices` is called only if a
   * picture is taken.
   */
  show(atMs: number, slices: () => readonly FilmedSlice[]): void
  /** Returns the first and last moment, and moments between them at about equal distances. */
  frames(): readonly Frame[]
}

/** Minimum number of pictures at the end; the maximum is twice as many. */
const FRAMES = 24

export function createFilm(): Film {
  let frames: Frame[] = []
  let apartMs = 0
  /** Latest moment that was too soon after the last picture. */
  let latest: { atMs: number; slices: () => readonly FilmedSlice[] } | undefined

  return {
    show(atMs, slices) {
      const last = frames.at(-1)
      if (last !== undefined && atMs - last.atMs < apartMs) {
        latest = { atMs, slices }
        return
      }
      latest = undefined
      frames.push({ atMs, slices: pictureOf(slices()) })
      if (frames.length < 2 * FRAMES) return
      apartMs = Math.max(1, (atMs - (frames[0]?.atMs ?? 0)) / FRAMES)
      frames = spread(frames, apartMs)
      if (frames.at(-1)?.atMs !== atMs) latest = { atMs, slices }
    },
    frames: () =>
      latest === undefined ? frames : [...frames, { atMs: latest.atMs, slices: pictureOf(latest.slices()) }],
  }
}

/** Drops frames that are too close to the previous one. */
function spread(frames: readonly Frame[], apartMs: number): Frame[] {
  let lastMs = Number.NEGATIVE_INFINITY
  return frames.filter(({ atMs }) => {
    if (atMs - lastMs < apartMs) return false
    lastMs = atMs
    return true
  })
}

const pictureOf = (slices: readonly FilmedSlice[]): ReadonlyMap<string, string> =>
  new Map(slices.map(({ name, endpoints }) => [name, endpoints.map(stateOf).join('')]))

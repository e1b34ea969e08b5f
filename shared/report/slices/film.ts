import type { Endpoint } from '../../endpointslice/index.ts'
import { stateOf } from '../elements/index.ts'

/** A slice of which a film is made. */
export interface FilmedSlice {
  readonly name: string
  readonly endpoints: readonly Endpoint[]
}

/** A Service's slices at one moment: by name, a letter for each endpoint, as {@link stateOf} gives it. */
export interface Frame {
  readonly atMs: number
  readonly slices: ReadonlyMap<string, string>
}

/** Pictures of a Service's slices over time, of bounded number. */
export interface Film {
  /**
   * Notes that the slices are so from now on. Moments come in the order of time. `slices` is called only if a
   * picture is taken.
   */
  show(atMs: number, slices: () => readonly FilmedSlice[]): void
  /** Returns the first moment, the last one, and moments between them that are about equally far apart. */
  frames(): readonly Frame[]
}

/** Pictures that are kept at the end, at least; there are twice as many at most. */
const FRAMES = 24

export function createFilm(): Film {
  let frames: Frame[] = []
  let apartMs = 0
  /** Latest moment that came too soon after the last picture. */
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

/** Leaves out those that come too soon after the one before. */
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

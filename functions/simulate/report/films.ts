import { createFilm, type Film, type Frame } from '../../../shared/report/index.ts'
import type { PolicyName, SimulationOptions } from '../../../shared/simulation/index.ts'
import { hasSliceSize, type MatrixSettings, windowText } from '../run-matrix.ts'

/** Films of the first run of each policy that packs endpoints into slices. */
export interface RunFilms {
  /** Returns the callback of the simulation of a run; undefined: it is not filmed. */
  of(settings: MatrixSettings): SimulationOptions['onSlices']
  read(): readonly RunFilm[]
}

export interface RunFilm {
  /** Name of the run, with its settings. */
  readonly run: string
  readonly frames: readonly Frame[]
}

export function createRunFilms(): RunFilms {
  const films = new Map<PolicyName, { run: string; film: Film }>()
  return {
    of(settings) {
      const { policy, maxEndpointsPerSlice } = settings
      if (films.has(policy) || !hasSliceSize(policy)) return undefined
      const film = createFilm()
      const run = `${policy}, window ${windowText(settings)}, ${maxEndpointsPerSlice} a slice`
      films.set(policy, { run, film })
      return (atMs, slices) =>
        film.show(atMs, () =>
          slices().map(({ metadata, endpoints = [] }) => ({ name: metadata?.name ?? '', endpoints })),
        )
    },
    read: () => [...films.values()].map(({ run, film }) => ({ run, frames: film.frames() })),
  }
}

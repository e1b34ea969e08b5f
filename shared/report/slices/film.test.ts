import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../endpointslice/index.ts'
import { createFilm, type FilmedSlice } from './film.ts'

const endpoint = (conditions?: Endpoint['conditions']): Endpoint => ({ addresses: ['10.0.0.1'], conditions })
const slice = (name: string, count: number): FilmedSlice => ({
  name,
  endpoints: Array.from({ length: count }, () => endpoint({ ready: true })),
})

describe('a film of slices', () => {
  it('shows each endpoint of a slice by its state', () => {
    const film = createFilm()
    const conditions = [undefined, { ready: false }, { ready: false, terminating: true }, { ready: true }]
    film.show(0, () => [{ name: 'web-a', endpoints: conditions.map(endpoint) }])
    expect(film.frames()).toEqual([{ atMs: 0, slices: new Map([['web-a', 'rutr']]) }])
  })

  it.each([1, 2, 47, 48, 49, 1000, 12_345])(
    'spreads its pictures over %i moments, with the first and the last one',
    (moments) => {
      const film = createFilm()
      for (let moment = 0; moment < moments; moment++)
        film.show(moment * 10, () => [slice('web-a', moment % 7)])
      const frames = film.frames()
      expect(frames.length).toBeLessThanOrEqual(49)
      expect(frames.length).toBeGreaterThanOrEqual(Math.min(moments, 20))
      expect(frames[0]?.atMs).toBe(0)
      const last = { atMs: (moments - 1) * 10, slices: new Map([['web-a', 'r'.repeat((moments - 1) % 7)]]) }
      expect(frames.at(-1)).toEqual(last)
      const apart = frames.slice(1, -1).map(({ atMs }, index) => atMs - (frames[index]?.atMs ?? 0))
      if (apart.length > 0) expect(Math.max(...apart)).toBeLessThanOrEqual(3 * Math.min(...apart))
    },
  )

  it('reads only slices that it shows', () => {
    const film = createFilm()
    let read = 0
    for (let moment = 0; moment < 10_000; moment++)
      film.show(moment, () => {
        read++
        return []
      })
    expect(read).toBeLessThan(1_000)
  })
})

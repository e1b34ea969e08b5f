import { describe, expect, it } from 'vitest'
import { cpuSecondsOf } from './usage.ts'

describe('processor time', () => {
  it('is a process’ own and that of its ended children, whatever its name', () => {
    const before = 'S 1 1 1 0 -1 4194560 100 200 0 0'
    expect(cpuSecondsOf(`42 (a) b (c) ${before} 150 50 25 75 20 0 11 0 1000`)).toBe(3)
  })
})

import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Change } from './key-queue/change.ts'
import { keyText } from './key-queue/key.ts'
import { Verifier } from './verifier.ts'

const WEB = { cluster: 'a', namespace: 'shop', service: 'web' }

describe('what functions have written', () => {
  let wrong: Change[]
  let reported: Change[]
  let verified: number
  let emitted: number
  let verifier: Verifier

  beforeEach(() => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    wrong = [{ ...WEB, pods: ['p'] }]
    reported = []
    verified = 0
    emitted = 0
    verifier = new Verifier({
      index: {
        verify: () => {
          verified++
          return wrong.splice(0)
        },
      },
      emit: (changes) => {
        emitted++
        reported.push(...changes)
      },
    })
  })

  it('is verified once, when its sync may be over, however many slices it wrote', () => {
    verifier.written(WEB)
    verifier.written(WEB)
    expect(reported).toEqual([])
    expect([...verifier.keys()]).toEqual([keyText(WEB)])
    vi.advanceTimersByTime(1_000)
    expect(reported).toEqual([{ ...WEB, pods: ['p'] }])
    expect(verified).toBe(1)
  })

  it('is no change where it is right', () => {
    wrong = []
    verifier.written(WEB)
    vi.advanceTimersByTime(1_000)
    expect([verified, emitted]).toEqual([1, 0])
  })

  it('is verified again after each list as long as it is wrong', () => {
    const found: Change[] = [...wrong, ...wrong]
    wrong = []
    verifier.written(WEB)
    wrong.push(...found.splice(0, 1))
    vi.advanceTimersByTime(200)
    expect([reported.length, [...verifier.keys()]]).toEqual([1, [keyText(WEB)]])
    wrong.push(...found)
    verifier.listed()
    expect(reported).toHaveLength(2)
    for (let lists = 0; lists < 2; lists++) verifier.listed()
    expect([verified, reported.length, [...verifier.keys()]]).toEqual([3, 2, []])
  })

  it('is verified at once at the end', () => {
    verifier.written(WEB)
    verifier.end()
    expect(reported).toEqual([{ ...WEB, pods: ['p'] }])
    vi.advanceTimersByTime(1_000)
    expect([reported.length, verified]).toEqual([1, 1])
  })

  it('is verified for each key by a clock of its own, and all that are left at the end', () => {
    const others = ['api', 'cart'].map((service) => ({ ...WEB, service }))
    wrong = []
    verifier.written(WEB)
    vi.advanceTimersByTime(150)
    for (const other of others) verifier.written(other)
    vi.advanceTimersByTime(50)
    expect(verified).toBe(1)
    expect([...verifier.keys()]).toEqual(others.map(keyText))
    verifier.end()
    expect(verified).toBe(3)
    verifier.written(WEB)
    vi.advanceTimersByTime(200)
    expect(verified).toBe(4)
  })
})

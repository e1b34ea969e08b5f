import { beforeEach, describe, expect, it } from 'vitest'
import { type Cause, createJudge, type Judge, type Publication } from './judge.ts'

const READY = 'ready http:8080/TCP'
const NOT_READY = 'not ready http:8080/TCP'

describe('the judge', () => {
  let judge: Judge
  beforeEach(() => {
    judge = createJudge()
  })

  /** Notes a write that took 5 ms and ended at this time. */
  const owe = (ended: number, value: Publication, address = 'a', of: Cause['of'] = 'pod'): void =>
    judge.owe(address, value, { of, begun: ended - 5, ended })
  const latencies = (): object => Object.fromEntries(judge.judgement().latencies)

  it('takes the time from the end of a write to the event after which the address is right', () => {
    owe(100, READY)
    judge.see('a', NOT_READY, 110)
    judge.see('a', READY, 130)
    expect(latencies()).toEqual({ ready: [30] })
    expect([...judge.wrong]).toEqual([])
  })

  it('calls each change by what becomes of the address', () => {
    const values = [NOT_READY, READY, NOT_READY, READY, `terminating ${READY}`, undefined]
    for (const [index, value] of values.entries()) {
      owe(100 * index, value)
      judge.see('a', value, 100 * index + index)
    }
    expect(latencies()).toEqual({
      added: [0],
      ready: [1, 3],
      'not ready': [2],
      terminating: [4],
      gone: [5],
    })
  })

  it('calls all that a write of the Service changes by the Service', () => {
    owe(100, READY)
    judge.see('a', READY, 110)
    judge.reset()
    owe(200, 'ready http:9090/TCP', 'a', 'service')
    judge.see('a', 'ready http:9090/TCP', 230)
    owe(300, undefined, 'a', 'service')
    judge.see('a', undefined, 340)
    expect(latencies()).toEqual({ service: [30, 40] })
  })

  it('counts a change that a newer one overtook as superseded, and times the newer one only', () => {
    owe(100, NOT_READY)
    owe(200, READY)
    judge.see('a', READY, 250)
    expect(latencies()).toEqual({ ready: [50] })
    expect(judge.judgement().superseded).toBe(1)
  })

  it('counts two changes that cancel each other out as superseded, both', () => {
    owe(0, READY)
    judge.see('a', READY, 10)
    judge.reset()
    owe(100, NOT_READY)
    owe(200, READY)
    expect([...judge.wrong]).toEqual([])
    expect(latencies()).toEqual({})
    expect(judge.judgement().superseded).toBe(2)
  })

  it('knows a watch that is quicker than the answer to the write', () => {
    judge.see('a', READY, 97)
    expect([...judge.wrong]).toEqual(['a'])
    owe(100, READY)
    expect(latencies()).toEqual({ ready: [-3] })
    expect([...judge.wrong]).toEqual([])
  })

  it('does not take what was published long before a write for its effect', () => {
    judge.see('a', READY, 10)
    owe(100, READY)
    expect(latencies()).toEqual({})
  })

  it('names addresses that are missing, wrong, or still there', () => {
    owe(100, READY, 'missing')
    owe(100, READY, 'wrong')
    judge.see('wrong', NOT_READY, 110)
    judge.see('still there', READY, 110)
    owe(100, READY, 'right')
    judge.see('right', READY, 110)
    expect([...judge.wrong]).toEqual(['missing', 'wrong', 'still there'])
  })

  it('counts an address that is wrong for more than two seconds, over changes that were superseded, too', () => {
    owe(0, READY)
    owe(1_500, NOT_READY)
    judge.see('a', NOT_READY, 2_001)
    owe(5_000, READY)
    judge.see('a', READY, 7_000)
    expect(judge.judgement().late).toBe(1)
  })

  it('begins anew after a reset, with what is published and owed', () => {
    owe(0, READY)
    judge.see('a', READY, 10)
    owe(20, NOT_READY)
    judge.reset()
    expect(judge.judgement()).toEqual({ latencies: new Map(), superseded: 0, late: 0 })
    judge.see('a', NOT_READY, 30)
    expect(latencies()).toEqual({ 'not ready': [10] })
  })
})

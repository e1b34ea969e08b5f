import { describe, expect, it } from 'vitest'
import { churnWorkload } from '../../shared/simulation/index.ts'
import {
  type Advice,
  adviseBatches,
  describeAdvice,
  type MatrixRun,
  runMatrix,
  TRIED_BATCHES,
} from './index.ts'
import { matrixPage } from './report/index.ts'

const settings = { coalescingWindow: 'auto', maxEndpointsPerSlice: 100, packing: 'upstream' } as const
const workload = () =>
  churnWorkload({ services: 50, endpoints: 20, nodes: 5 }, { seed: 3, duration: 30, meanChange: 50 })

const runs: MatrixRun[] = []
for (const { batchWindows, batchSize } of TRIED_BATCHES)
  runs.push(
    ...(await runMatrix(
      workload(),
      {
        ...{ policies: ['in-tree'], coalescingWindows: ['auto'], maxEndpointsPerSlice: [100] },
        ...{ batchWindows, batches: { batchSize }, seed: 1 },
      },
      () => undefined,
    )),
  )
const [none] = runs
if (none === undefined) throw new Error('a run without a window is tried')
const advice: Advice = { settings, run: none, why: [] }

describe('batches that are advised', () => {
  it('cost less the later changes may be, and never come later than that', () => {
    const dollars = [500, 3_000, 20_000].map((latestMs) => {
      const { settings: advised, batches = [] } = adviseBatches(advice, runs, latestMs)
      const { batchWindow = 0, batchSize = 10 } = advised
      const chosen = batches.find((run) => run.batchWindow === batchWindow && run.batchSize === batchSize)
      expect(chosen?.run.stalenessMs.p99).toBeLessThanOrEqual(latestMs)
      return chosen?.dollarsAMonth ?? 0
    })
    expect(dollars).toEqual(dollars.toSorted((a, b) => b - a))
    expect(dollars[2]).toBeLessThan((dollars[0] ?? 0) / 2)
  })

  it('are none where a window saves next to nothing', () => {
    const others = runs.map((run) => ({ ...run, dollarsAMonth: none.dollarsAMonth * 0.97 }))
    expect(adviseBatches(advice, [none, ...others.slice(1)], 20_000).settings).toEqual(settings)
  })

  it('are named with the command that deploys them, and what others cost', () => {
    const text = describeAdvice(adviseBatches(advice, runs, 20_000), 20_000)
    expect(text).toMatch(/^--coalescing-window auto .* --batch-window \d+( --batch-size 100)?\n/)
    expect(text).toMatch(/\n {2}on AWS: npm run deploy -- --set batchWindow=\d+( --set batchSize=100)?\n/)
    expect(text).toMatch(/\n {2}no batch window: \d+\.\d\d \$ a month, 99 % within [\d,]+ ms\n/)
    expect(text).toMatch(/\n {2}batch window 1 s, up to 100 messages: /)
    expect(describeAdvice(advice, 20_000)).toContain('  on AWS: npm run deploy\n')
  })

  it('are a curve on the page, money against delay; a page of one window has none', () => {
    const page = matrixPage({ workload: 'churn', runs })
    expect(page).toContain('Money against delay')
    expect(page).toContain('in-tree, window auto + 5 s')
    expect(matrixPage({ workload: 'churn', runs: [none] })).not.toContain('Money against delay')
  })
})

import { describe, expect, it } from 'vitest'
import { readReport } from './report.ts'

const spec = (fields: object) => ({
  ContainerHierarchyTexts: [''],
  ContainerHierarchyLabels: [[]],
  LeafNodeText: 'A ServiceImport',
  LeafNodeType: 'It',
  LeafNodeLabels: ['Required'],
  State: 'passed',
  RunTime: 1_500_000_000,
  ...fields,
})
const read = (...specs: object[]) => readReport(JSON.stringify([{ SpecReports: specs }]))

describe('the report of the suite of multi-cluster Services', () => {
  it('has a set-up that failed as a failure, however few specs were run', () => {
    const setUp = { LeafNodeType: 'BeforeSuite', LeafNodeText: '', State: 'failed' }
    const outcomes = read(spec({ ...setUp, Failure: { Message: 'no route\nto host' } }))
    expect(outcomes).toMatchObject([{ name: 'BeforeSuite', state: 'failed', reason: 'no route to host' }])
  })

  it('takes specs that ended in any other way for failed', () => {
    for (const State of ['panicked', 'timedout', 'interrupted', 'aborted', 'pending'])
      expect(read(spec({ State }))).toMatchObject([{ state: 'failed', reason: State }])
  })
})

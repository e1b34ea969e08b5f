import { describe, expect, it } from 'vitest'
import { readReport, tableOf } from './report.ts'

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
  it('names required specs first, and says of those that are not run why', () => {
    const dns = { ContainerHierarchyLabels: [['Optional', 'DNS']], LeafNodeLabels: null, State: 'skipped' }
    const connectivity = { ContainerHierarchyTexts: ['Connectivity to remote services'], State: 'skipped' }
    expect(tableOf(read(spec({ ...dns, LeafNodeText: 'A DNS lookup' }), spec(connectivity), spec({})))).toBe(
      [
        'passed required   1.5 s  A ServiceImport',
        'skipped required          Connectivity to remote services A ServiceImport',
        '        needs pods that run',
        'skipped optional          A DNS lookup',
        '        needs pods that run',
        '1 passed, 0 failed, 2 skipped of 3',
        '',
      ].join('\n'),
    )
  })

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

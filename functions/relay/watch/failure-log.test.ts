import { beforeEach, describe, expect, it } from 'vitest'
import {
  ApiError,
  ConnectionError,
  ForbiddenError,
  UnauthorizedError,
} from '../../../shared/kubernetes/index.ts'
import { createLogger } from '../../../shared/telemetry/index.ts'
import { createFailureLog, type FailureLog } from './failure-log.ts'

const refused = (kind: string): ConnectionError =>
  new ConnectionError(`failed to list ${kind}`, 'ECONNREFUSED')
const forbidden = (kind: string): ForbiddenError => new ForbiddenError(`cannot list ${kind}`, 403, {})

describe('the log of a cluster’s failures', () => {
  let lines: string[]
  let fields: Record<string, unknown>[]
  let failures: FailureLog
  let seconds: number

  beforeEach(() => {
    lines = []
    fields = []
    const logger = createLogger({
      write: (line) => {
        fields.push(JSON.parse(line))
        lines.push(JSON.parse(line).msg)
      },
    })
    seconds = 0
    failures = createFailureLog(logger, 'a', () => seconds * 1000)
  })

  it('reports a trouble of all watches once, and again while it lasts, after 1, 2, 4 minutes and so on up to an hour', () => {
    const reported: number[] = []
    for (; seconds <= 5 * 3600; seconds += 5) {
      const before = lines.length
      for (const kind of ['pods', 'services']) failures.failed(kind, refused(kind), 5_000)
      if (lines.length > before) reported.push(seconds / 60)
    }
    expect(reported).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243])
    expect(lines).toHaveLength(reported.length)
    expect(lines[0]).toBe('cannot follow the cluster; its slices stay as they are')
    expect(fields[2]).toMatchObject({
      cluster: 'a',
      forSeconds: 180,
      msg: 'still cannot follow the cluster; its slices stay as they are',
    })
  })

  it('starts again with the pauses once the cluster was followed again', () => {
    failures.failed('pods', refused('pods'), 100)
    seconds = 3600
    failures.recovered('pods')
    failures.failed('pods', refused('pods'), 100)
    seconds += 59
    failures.failed('pods', refused('pods'), 100)
    expect(lines).toHaveLength(3)
    seconds += 1
    failures.failed('pods', refused('pods'), 100)
    expect(fields[3]).toMatchObject({ forSeconds: 60 })
  })

  it('reports which cluster, what is wrong, and when it is tried again', () => {
    failures.failed('pods', refused('pods'), 1_500)
    failures.recovered('pods')
    expect(fields[0]).toMatchObject({ cluster: 'a', retrySeconds: 2, err: 'failed to list pods' })
    expect(fields[1]).toMatchObject({ cluster: 'a' })
  })

  it('reports nothing of a watch that had not failed', () => {
    failures.recovered('pods')
    expect(lines).toEqual([])
  })

  it('reports credentials that are refused once, for all watches', () => {
    for (const kind of ['pods', 'nodes']) failures.failed(kind, new UnauthorizedError('no', 401, {}), 100)
    expect(lines).toHaveLength(1)
  })

  it.each([
    ['answers', new ApiError('no', 500, {}), new ApiError('no', 503, {})],
    ['faults', 'text', 7],
  ])('logs each of two %s', (_, first, second) => {
    for (const error of [first, second, first, second]) failures.failed('pods', error, 100)
    expect(lines).toHaveLength(2)
  })

  it('reports once that all watches work again', () => {
    failures.failed('pods', refused('pods'), 100)
    failures.failed('nodes', refused('nodes'), 100)
    failures.recovered('pods')
    expect(lines).toHaveLength(1)
    failures.recovered('nodes')
    expect(lines.slice(1)).toEqual(['watching the cluster again'])
  })

  it('reports every permission that is missing', () => {
    failures.failed('pods', forbidden('pods'), 100)
    failures.failed('nodes', forbidden('nodes'), 100)
    failures.failed('pods', forbidden('pods'), 100)
    expect(lines).toHaveLength(2)
  })

  it('reports once a refusal that has another text each time, as a webhook may', () => {
    for (let attempt = 0; attempt < 100; attempt++)
      failures.failed('pods', new ForbiddenError(`no ${attempt}`, 403, { reason: `because ${attempt}` }), 100)
    expect(lines).toHaveLength(1)
  })

  it('reports a trouble that another one followed before its end when it comes back', () => {
    for (let outage = 1; outage <= 3; outage++) {
      failures.failed('pods', refused('pods'), 100)
      failures.failed('pods', new ConnectionError('failed to list pods', 'ETIMEDOUT'), 100)
      failures.recovered('pods')
      expect(lines).toHaveLength(3 * outage)
    }
  })

  it('reports once two troubles that come in turns', () => {
    for (let turn = 0; turn < 5; turn++) {
      failures.failed('pods', refused('pods'), 100)
      failures.failed('pods', new ConnectionError('failed to list pods', 'ETIMEDOUT'), 100)
    }
    expect(lines).toHaveLength(2)
  })
})

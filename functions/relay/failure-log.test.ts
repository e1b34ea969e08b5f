import { beforeEach, describe, expect, it } from 'vitest'
import { ConnectionError, ForbiddenError } from '../../shared/kubernetes/index.ts'
import { createLogger } from '../../shared/telemetry/index.ts'
import { createFailureLog, type FailureLog } from './failure-log.ts'

const refused = (kind: string): ConnectionError =>
  new ConnectionError(`failed to list ${kind}`, 'ECONNREFUSED')
const forbidden = (kind: string): ForbiddenError => new ForbiddenError(`cannot list ${kind}`, 403, {})

describe('the log of a cluster’s failures', () => {
  let lines: string[]
  let failures: FailureLog

  beforeEach(() => {
    lines = []
    const logger = createLogger({ write: (line) => lines.push(JSON.parse(line).msg) })
    failures = createFailureLog(logger, 'a')
  })

  it('tells of an unreachable cluster once, however many watches fail however often', () => {
    for (let attempt = 0; attempt < 5; attempt++) {
      for (const kind of ['pods', 'services', 'nodes']) failures.failed(kind, refused(kind), 100)
    }
    expect(lines).toEqual(['cannot follow the cluster; its slices stay as they are'])
  })

  it('tells once that all watches work again', () => {
    failures.failed('pods', refused('pods'), 100)
    failures.failed('nodes', refused('nodes'), 100)
    failures.recovered('pods')
    expect(lines).toHaveLength(1)
    failures.recovered('nodes')
    expect(lines.slice(1)).toEqual(['following the cluster again'])
  })

  it('tells of every permission that is missing', () => {
    failures.failed('pods', forbidden('pods'), 100)
    failures.failed('nodes', forbidden('nodes'), 100)
    failures.failed('pods', forbidden('pods'), 100)
    expect(lines).toHaveLength(2)
  })

  it('tells of the same trouble when it comes back', () => {
    failures.failed('pods', refused('pods'), 100)
    failures.recovered('pods')
    failures.failed('pods', refused('pods'), 100)
    expect(lines).toHaveLength(3)
  })
})

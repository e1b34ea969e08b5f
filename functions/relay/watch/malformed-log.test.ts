import { describe, expect, it } from 'vitest'
import type { MalformedObject } from '../../../shared/changes/index.ts'
import { createLogger } from '../../../shared/telemetry/index.ts'
import { createMalformedLog } from './malformed-log.ts'

describe('the log of malformed objects', () => {
  const object = (name: string, fault = 'metadata.labels is not a map of strings'): MalformedObject => ({
    kind: 'Pod',
    namespace: 'shop',
    name,
    fault,
  })
  function start(): { lines: { name: string; note?: string }[]; tell: (object: MalformedObject) => void } {
    const lines: { name: string; note?: string }[] = []
    const logger = createLogger({ write: (line) => lines.push(JSON.parse(line)) })
    return { lines, tell: createMalformedLog(logger, 'a') }
  }

  it('reports an object once for each fault, and by its name and kind', () => {
    const { lines, tell } = start()
    for (let time = 0; time < 3; time++) tell(object('p'))
    tell(object('p', 'spec.selector is not a map of strings'))
    tell({ ...object('p'), kind: 'Service' })
    tell(object('q'))
    expect(lines).toHaveLength(4)
    expect(lines[0]).toMatchObject({ cluster: 'a', kind: 'Pod', namespace: 'shop', name: 'p', level: 'warn' })
  })

  it('reports a hundred objects and says so with the last, and no further one', () => {
    const { lines, tell } = start()
    for (let index = 0; index < 1_000; index++) tell(object(`p${index}`))
    expect(lines).toHaveLength(100)
    expect(lines.filter(({ note }) => note !== undefined)).toEqual([lines[99]])
    expect(lines[99]?.note).toBe('further ones are only counted')
  })
})

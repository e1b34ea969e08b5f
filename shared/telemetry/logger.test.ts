import { describe, expect, it } from 'vitest'
import { createLogger, type LoggerOptions } from './index.ts'

function linesOf(options: LoggerOptions, log: (logger: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = []
  log(createLogger({ ...options, write: (line) => lines.push(line) }))
  return lines
}

describe('the logger', () => {
  it('writes one JSON object a line', () => {
    const [line = ''] = linesOf({}, (logger) => logger.warn({ cluster: 'a' }, 'slow'))
    expect(JSON.parse(line)).toEqual({ level: 'warn', time: expect.any(String), cluster: 'a', msg: 'slow' })
  })

  it('writes lines to read where people look', () => {
    const [line] = linesOf({ format: 'text' }, (logger) => logger.warn({ cluster: 'a', keys: 3 }, 'slow'))
    expect(line).toMatch(/^\d\d:\d\d:\d\d warn {2}slow {2}cluster=a keys=3\n$/)
  })

  it('writes an error as its message, without a stack', () => {
    const err = new Error('cannot list', { cause: new Error('refused') })
    const [line = ''] = linesOf({}, (logger) => logger.error({ err }, 'broken'))
    expect(JSON.parse(line).err).toBe('cannot list')
  })

  it('never writes what looks like a credential', () => {
    const fields = {
      token: 's3cret',
      request: { headers: { authorization: 's3cret' }, authorization: 's3cret' },
    }
    expect(linesOf({}, (logger) => logger.info(fields, 'call')).join()).not.toContain('s3cret')
  })

  it('writes a line also of what JSON cannot hold', () => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const [line = ''] = linesOf({}, (logger) => logger.info({ circular, keys: 3 }, 'odd'))
    expect(JSON.parse(line)).toMatchObject({
      circular: expect.stringContaining('cannot be written'),
      keys: 3,
      msg: 'odd',
    })
  })

  it('leaves out what is below its level', () => {
    expect(linesOf({ level: 'warn' }, (logger) => logger.info({}, 'fine'))).toEqual([])
  })
})

import { describe, expect, it, vi } from 'vitest'
import { createLogger, type LoggerOptions } from './index.ts'

function linesOf(options: LoggerOptions, log: (logger: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = []
  log(createLogger({ ...options, write: (line) => lines.push(line) }))
  return lines
}

describe('the logger', () => {
  it('writes one JSON object a line', () => {
    const [line = ''] = linesOf({}, (logger) => logger.warn({ cluster: 'a' }, 'slow'))
    expect(JSON.parse(line)).toEqual({
      level: 'warn',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      cluster: 'a',
      msg: 'slow',
    })
  })

  it('writes lines to read where people look', () => {
    const [line] = linesOf({ format: 'text' }, (logger) => logger.warn({ cluster: 'a', keys: 3 }, 'slow'))
    expect(line).toMatch(/^\d\d:\d\d:\d\d warn {2}slow {2}cluster=a keys=3\n$/)
  })

  it('writes one line of text, and no controls to a terminal, whatever others say', () => {
    const err = new Error("found '\u001b[2J'\n12:00:00 info  forged")
    const lines = linesOf({ format: 'text' }, (logger) => logger.warn({ err, reason: 'a\u2028b' }, 'slow'))
    expect(lines.join('')).toMatch(/ slow {2}err=found ' \[2J' 12:00:00 info {2}forged reason=a b\n$/)
  })

  it('ends a line of text with its message where there is nothing more to tell, and tells lists as JSON', () => {
    const [bare, listed] = linesOf({ format: 'text' }, (logger) => {
      logger.info({}, 'fine')
      logger.info({ shards: ['a', 'b'] }, 'fine')
    })
    expect(bare).toMatch(/^\d\d:\d\d:\d\d info {2}fine\n$/)
    expect(listed).toMatch(/ fine {2}shards=\["a","b"\]\n$/)
  })

  it('writes an error as its message, without a stack', () => {
    const err = new Error('cannot list', { cause: new Error('refused') })
    const [line = ''] = linesOf({}, (logger) => logger.error({ err }, 'broken'))
    expect(JSON.parse(line).err).toBe('cannot list')
  })

  it.each([
    { token: 's3cret' },
    { authorization: 's3cret' },
    { credentials: { secretAccessKey: 's3cret' } },
    { call: { token: 's3cret' } },
    { call: { authorization: 's3cret' } },
    { call: { headers: { cookie: 's3cret' } } },
  ])('leaves the secret out of %j, and nothing else', (secret) => {
    const [line = ''] = linesOf({}, (logger) => logger.info({ ...secret, cluster: 'a' }, 'call'))
    expect(line).not.toContain('s3cret')
    expect(line).toContain('[redacted]')
    expect(JSON.parse(line)).toMatchObject({ cluster: 'a', msg: 'call' })
  })

  it('writes what is beside a secret, and values of any kind as JSON has them', () => {
    const date = new Date(0)
    const fields = { call: { token: 's3cret', path: '/api' }, date, none: null, gone: undefined, list: [1] }
    const [line = ''] = linesOf({}, (logger) => logger.info(fields, 'call'))
    expect(JSON.parse(line)).toEqual({
      level: 'info',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      call: { token: '[redacted]', path: '/api' },
      date: '1970-01-01T00:00:00.000Z',
      none: null,
      list: [1],
      msg: 'call',
    })
  })

  it('writes what was thrown as text where it is no error', () => {
    const [line = ''] = linesOf({}, (logger) => logger.error({ err: 'refused' }, 'broken'))
    expect(JSON.parse(line).err).toBe('refused')
  })

  it('writes the beginning of a long error, without a secret', () => {
    const err = new Error(`Bearer s3cret ${'no '.repeat(30_000)}`)
    const [line = ''] = linesOf({}, (logger) => logger.error({ err }, 'broken'))
    expect(line).not.toContain('s3cret')
    expect(line.length).toBeLessThan(5_000)
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
    const all = (logger: ReturnType<typeof createLogger>): void => {
      logger.debug({}, 'a')
      logger.info({}, 'b')
      logger.warn({}, 'c')
      logger.error({}, 'd')
    }
    const written = (options: LoggerOptions): string =>
      linesOf(options, all)
        .map((line) => JSON.parse(line).msg)
        .join('')
    expect([
      written({ level: 'debug' }),
      written({}),
      written({ level: 'warn' }),
      written({ level: 'error' }),
    ]).toEqual(['abcd', 'bcd', 'cd', 'd'])
  })

  it('asks for common fields at each line, and writes to standard error by itself', () => {
    const written: unknown[] = []
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((line) => written.push(line) > 0)
    let invocation = 0
    const logger = createLogger({ fields: () => ({ invocation: ++invocation }) })
    logger.info({}, 'one')
    logger.info({}, 'two')
    stderr.mockRestore()
    expect(written.map((line) => JSON.parse(String(line)))).toMatchObject([
      { invocation: 1, msg: 'one' },
      { invocation: 2, msg: 'two' },
    ])
  })
})

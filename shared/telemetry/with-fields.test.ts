import { expect, it } from 'vitest'
import { createLogger, withFields } from './index.ts'

it('gives every line the fields of what it is about', () => {
  const lines: object[] = []
  const logger = withFields(createLogger({ write: (line) => lines.push(JSON.parse(line)) }), { key: 'a' })
  logger.info({}, 'began')
  logger.warn({ times: 2 }, 'tried')
  logger.error({ key: 'b', err: new Error('no') }, 'ended')
  expect(lines).toMatchObject([
    { level: 'info', key: 'a', msg: 'began' },
    { level: 'warn', key: 'a', times: 2, msg: 'tried' },
    { level: 'error', key: 'b', err: 'no', msg: 'ended' },
  ])
})

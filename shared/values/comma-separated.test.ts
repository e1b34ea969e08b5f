import { expect, it } from 'vitest'
import { commaSeparated } from './index.ts'

it('separates items, whatever spaces there are', () => {
  expect(commaSeparated('special, 10.0.0.0/8 ,fd00::/8')).toEqual(['special', '10.0.0.0/8', 'fd00::/8'])
})

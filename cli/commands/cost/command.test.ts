import { describe, expect, it } from 'vitest'
import { PRICES_OF } from '../../../shared/costs/index.ts'
import { runSliceflow } from '../../program.fixtures.ts'
import { formulaOf } from './command.ts'

const SMALL = ['--clusters', '3', '--pods', '3000', '--changes-per-second', '0.5']

async function cost(...args: string[]): Promise<string> {
  const { code, stdout } = await runSliceflow('cost', ...SMALL, ...args)
  expect(code).toBe(0)
  return stdout
}

/** Computes `5.3 M requests × 0.5 $ + 1,310 polls × 2 $`. */
const computed = (formula: string): number =>
  formula
    .split(' + ')
    .map((term) => /^([\d,.]+) .* × ([\d.e-]+) \$$/.exec(term))
    .reduce((sum, match) => sum + Number(match?.[1]?.replaceAll(',', '')) * Number(match?.[2]), 0)

describe('sliceflow cost', () => {
  it('prints each line with the formula that gives its dollars, their sum, and the date of the prices', async () => {
    const text = await cost('--recording', '0.1', '--nat-gateways', '2')
    expect(text).toContain(`list prices of ${PRICES_OF.date}`)
    const lines = [...text.matchAll(/^(\S.*?) +([\d,.]+) \$ {2}= (.*)$/gm)].map(
      ([, what, dollars = '', formula = '']) => ({
        what,
        dollars: Number(dollars.replaceAll(',', '')),
        formula,
      }),
    )
    expect(lines.map(({ what }) => what)).toContain('X-Ray')
    for (const { dollars, formula } of lines)
      expect([formula, Math.abs(computed(formula) - dollars)]).toEqual([formula, expect.closeTo(0, 1)])
    const sum = Number(/^sum +([\d,.]+) \$$/m.exec(text)?.[1])
    expect(sum).toBeCloseTo(
      lines.reduce((total, { dollars }) => total + dollars, 0),
      1,
    )
  })

  it('prints the command that deploys these settings, and takes those of batches and pollers', async () => {
    expect((await cost()).trimEnd().split('\n').at(-1)).toBe('npm run deploy')
    const sqs = (text: string): number => Number(/^SQS +([\d,.]+) \$/m.exec(text)?.[1])
    const batched = await cost('--changes-per-second', '20', '--batch-window', '2', '--batch-size', '100')
    expect(batched.trimEnd().split('\n').at(-1)).toBe(
      'npm run deploy -- --set batchWindow=2 --set batchSize=100',
    )
    expect(sqs(batched)).toBeLessThan(sqs(await cost('--changes-per-second', '20')))
    expect(await cost('--minimum-pollers', '2', '--maximum-pollers', '20')).toContain(
      'h of pollers × 0.00925 $',
    )
  })

  it.each([
    [['--batch-size', '100'], 'add --batch-window 1'],
    [['--maximum-pollers', '20'], 'give both'],
    [['--minimum-pollers', '4', '--maximum-pollers', '2'], 'give both'],
    [['--minimum-pollers', '2', '--maximum-pollers', '4', '--maximum-concurrency', '9'], 'leave it out'],
  ])('refuses %j, as Lambda does', async (args, words) => {
    const { code, stderr } = await runSliceflow('cost', ...SMALL, ...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
  })

  it('gives machines the same with every term, and the size that it took', async () => {
    const { prices, size, lines, dollars } = JSON.parse(await cost('-o', 'json'))
    expect(prices).toEqual(PRICES_OF)
    expect(size).toMatchObject({ clusters: 3, pods: 3000, services: 150, auditInterval: 86_400 })
    const text = await cost()
    for (const line of lines) expect(text).toContain(formulaOf(line))
    expect(text).toContain(`${dollars.toFixed(2)} $`)
  })
})

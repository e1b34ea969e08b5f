import type { ScaleRow } from '../../shared/simulation/index.ts'
import { countText, tableText } from './text.ts'

/** What is hit first at each size, and what moves it. */
export function describeScale(rows: readonly ScaleRow[]): string {
  const lines = rows.map(({ clusters, services, uses: [first, second], shards, dollarsAMonth }) => [
    countText(clusters),
    countText(services),
    percentText(first?.share ?? 0),
    first?.what ?? '',
    first?.setting ?? '',
    `${second?.what} ${percentText(second?.share ?? 0)}`,
    countText(shards),
    `$${countText(dollarsAMonth)}`,
  ])
  return tableText([COLUMNS, ...lines])
}

const COLUMNS = [
  ...['clusters', 'Services', 'used', 'of what is fullest', 'what moves it', 'then', 'shards', '$/month'],
] as const

const percentText = (share: number): string =>
  share > 0 && share < 0.01 ? '<1 %' : `${countText(share * 100)} %`

import type { ScaleRow } from '../../shared/simulation/index.ts'
import { countText, tableText } from './text.ts'

export function describeScale(rows: readonly ScaleRow[]): string {
  return tableText([SCALE_COLUMNS, ...rows.map(scaleCells)])
}

export function scaleCells({ clusters, services, uses, shards, dollarsAMonth }: ScaleRow): string[] {
  const [first, second] = uses
  return [
    countText(clusters),
    countText(services),
    percentText(first?.share ?? 0),
    first?.what ?? '',
    first?.setting ?? '',
    `${second?.what} ${percentText(second?.share ?? 0)}`,
    countText(shards),
    `$${countText(dollarsAMonth)}`,
  ]
}

export const SCALE_COLUMNS = [
  ...['clusters', 'Services', 'used', 'of what is fullest', 'what moves it', 'then', 'shards', '$/month'],
] as const

export const percentText = (share: number): string =>
  share > 0 && share < 0.01 ? '<1 %' : `${countText(share * 100)} %`

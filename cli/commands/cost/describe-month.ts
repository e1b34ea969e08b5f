import { type CostLine, type Month, PRICES_OF, type Term } from '../../../shared/costs/index.ts'
import { dollarsText } from '../../simulate/text.ts'
import { fitted, type Terminal } from '../../terminal/index.ts'

/** Describes the month for people: a line for each item with its formula, and below it the sources. */
export function describeMonth({ lines, dollars }: Month, terminal: Terminal): string {
  const rows = [...lines, { what: 'sum', dollars, terms: [], why: '' }]
  const width = Math.max(...rows.map(({ what }) => what.length))
  const texts = rows.flatMap((line) => {
    const head = `${line.what.padEnd(width)}  ${dollarsText(line.dollars).padStart(10)}`
    if (line.terms.length === 0) return head
    const column = head.length + '  = '.length
    return [`${head}  = ${formulaOf(line)}`, ' '.repeat(column) + line.why].map((text) =>
      fitted(text, terminal, column),
    )
  })
  return [`A month in ${PRICES_OF.region}, by the list prices of ${PRICES_OF.date}:`, ...texts, ''].join('\n')
}

/** Formats terms such as `5.3 M requests × 0.5 $ + 1.31 M polls × 0.5 $`; those of 0 only if all are. */
export function formulaOf({ terms }: Pick<CostLine, 'terms'>): string {
  const some = terms.filter(({ quantity }) => quantity > 0)
  return (some.length > 0 ? some : terms.slice(0, 1)).map(termText).join(' + ')
}

const termText = ({ quantity, unit, price }: Term): string => `${quantityText(quantity)} ${unit} × ${price} $`

/** Formats a number with three digits, or with all digits before the decimal point if there are more. */
const quantityText = (quantity: number): string =>
  (quantity >= 100 ? Math.round(quantity) : Number(quantity.toPrecision(3))).toLocaleString('en-US', {
    maximumSignificantDigits: 15,
  })

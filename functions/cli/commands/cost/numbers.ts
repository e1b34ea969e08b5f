/** Formats a number with three digits, or with all digits before the decimal point if there are more. */
export const quantityText = (quantity: number): string =>
  (quantity >= 100 ? Math.round(quantity) : Number(quantity.toPrecision(3))).toLocaleString('en-US', {
    maximumSignificantDigits: 15,
  })

export const dollarsText = (dollars: number): string =>
  `${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} $`

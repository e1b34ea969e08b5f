/** Factors of the suffixes of a Kubernetes quantity (apimachinery resource.Quantity), in thousandths. */
const MILLI: Readonly<Record<string, number>> = {
  n: 1e-6,
  u: 1e-3,
  m: 1,
  '': 1e3,
  k: 1e6,
  M: 1e9,
  G: 1e12,
  Ki: 1024e3,
  Mi: 1024 ** 2 * 1e3,
  Gi: 1024 ** 3 * 1e3,
}
const QUANTITY = /^\+?(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+)|(n|u|m|k|M|G|Ki|Mi|Gi)?)$/

/**
 * Parses an amount of CPU into thousandths of a core, such as 3920 for `3920m`; 0 if it is absent or no
 * quantity.
 */
export function parseCpu(quantity: unknown): number {
  const match = QUANTITY.exec(String(quantity ?? ''))
  if (match === null) return 0
  const [, digits = '', exponent = '0', suffix = ''] = match
  return Number(`${digits}e${exponent}`) * (MILLI[suffix] ?? 0)
}

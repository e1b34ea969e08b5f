export { canonicalQuantity, Quantity, QuantityError, type QuantityFormat } from './quantity.ts'

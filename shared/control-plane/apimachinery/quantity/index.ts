export { Quantity } from './quantity.ts'
export { QuantityError } from './read.ts'

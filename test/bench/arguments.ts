import { InvalidArgumentError } from 'commander'

/** Reads a number above 0. @throws InvalidArgumentError */
export function positive(text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new InvalidArgumentError('must be a number above 0.')
  return value
}

/** Reads a whole number, 1 or more. @throws InvalidArgumentError */
export function count(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('must be a whole number, 1 or more.')
  return Number(text)
}

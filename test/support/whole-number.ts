import { InvalidArgumentError } from 'commander'

/** Parses the value of a flag that is a whole number, 0 or more. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is no whole number.')
  return Number(text)
}

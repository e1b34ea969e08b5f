import { InvalidArgumentError } from 'commander'

/** Parses the value of a flag that is a TCP port. @throws InvalidArgumentError */
export function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('It must be 0 to 65535.')
  return port
}

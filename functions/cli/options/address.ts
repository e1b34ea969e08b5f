import { isIP } from 'node:net'
import { InvalidArgumentError } from 'commander'

/** Parses the value of a flag that is an IP address to listen on. @throws InvalidArgumentError */
export function parseAddress(text: string): string {
  if (isIP(text) === 0)
    throw new InvalidArgumentError('It must be an IP address, such as 127.0.0.1, 0.0.0.0 or ::.')
  return text
}

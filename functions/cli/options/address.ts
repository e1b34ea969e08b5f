import { BlockList, isIP, isIPv6 } from 'node:net'
import { InvalidArgumentError } from 'commander'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** Parses the value of a flag that is an IP address to listen on. @throws InvalidArgumentError */
export function parseAddress(text: string): string {
  if (isIP(text) === 0)
    throw new InvalidArgumentError('It must be an IP address, such as 127.0.0.1, 0.0.0.0 or ::.')
  return text
}

/** Reports whether only this machine reaches the IP address. */
export const isLoopback = (address: string): boolean =>
  LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

import type { ImportPort } from '../resources.ts'

/** Ports of an import at most. */
export const MAX_PORTS = 100

/**
 * Collects the ports that one Service can have together, in the order in which they come. The first has what
 * several want: a name, or a number of a protocol.
 */
export function createPortUnion() {
  const ports: ImportPort[] = []
  const names = new Map<string, string>()
  const numbers = new Set<string>()

  const obstacle = (name: string, number: string): string | undefined => {
    if (ports.length >= MAX_PORTS) return `there are ${MAX_PORTS} ports already`
    if (names.has(name)) return 'its name is taken'
    if (numbers.has(number)) return 'its number is taken'
    // The API wants names of all ports as soon as there are two.
    return names.has('') || (name === '' && ports.length > 0)
      ? 'a port without a name must be the only one'
      : undefined
  }

  return {
    ports: ports as readonly ImportPort[],
    /** Takes the port in; returns why it is left out, nothing where it is in. */
    add(port: ImportPort): string | undefined {
      const name = port.name ?? ''
      const number = `${port.port}/${port.protocol}`
      if (names.get(name) === number) return undefined
      const reason = obstacle(name, number)
      if (reason !== undefined) return reason
      ports.push(port)
      names.set(name, number)
      numbers.add(number)
      return undefined
    },
  }
}

/** Returns a text that is the same for equal sets of ports, whatever their order. */
export const portSetOf = (ports: readonly ImportPort[]): string =>
  ports
    .map(({ name, protocol, port, appProtocol }) => JSON.stringify([name, protocol, port, appProtocol]))
    .sort()
    .join()

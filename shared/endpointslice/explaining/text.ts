import type { EndpointPort } from '../types.ts'

/** Writes a port, such as `http 8080/TCP`. */
export function portText({ name, port, protocol, appProtocol }: EndpointPort): string {
  const number = `${port ?? 'all'}/${protocol ?? 'TCP'}`
  const named = name ? `${name} ${number}` : number
  return appProtocol ? `${named} (${appProtocol})` : named
}

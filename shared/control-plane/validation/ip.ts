import { isIP, isIPv4, isIPv6 } from 'node:net'
import { type FieldError, invalidValue } from '../errors/index.ts'

const NOT_AN_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'

export type IpFamily = 'IPv4' | 'IPv6'

export function familyOf(address: string): IpFamily | undefined {
  if (isIPv4(address)) return 'IPv4'
  return isIPv6(address) ? 'IPv6' : undefined
}

/** The address as RFC 5952 writes it; the input where it is no IP address. */
export function canonicalIp(address: string): string {
  if (!isIPv6(address)) return address
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

function isSloppyIpv4(value: string): boolean {
  return /^\d{1,10}(\.\d{1,10}){3}$/.test(value) && value.split('.').every((part) => Number(part) < 256)
}

/** Any spelling of an IP address, leading zeros included, as fields of old API versions allow it. */
export function legacyIpErrors(field: string, value: string): FieldError[] {
  return isIP(value) || isSloppyIpv4(value) ? [] : [invalidValue(field, value, NOT_AN_IP)]
}

/** An IP address in its canonical spelling. */
export function ipErrors(field: string, value: string): FieldError[] {
  if (!isIP(value)) {
    return [invalidValue(field, value, isSloppyIpv4(value) ? 'must not have leading 0s' : NOT_AN_IP)]
  }
  if (/^::ffff:/i.test(value)) return [invalidValue(field, value, 'must not be an IPv4-mapped IPv6 address')]
  const canonical = canonicalIp(value)
  return canonical === value ? [] : [invalidValue(field, value, `must be in canonical form ("${canonical}")`)]
}

/** Addresses that no endpoint can have: unspecified, loopback, link-local. */
export function endpointIpErrors(field: string, value: string): FieldError[] {
  const errors: FieldError[] = []
  if (value === '0.0.0.0' || value === '::') {
    errors.push(invalidValue(field, value, `may not be unspecified (${value})`))
  }
  if (/^127\./.test(value) || value === '::1') {
    errors.push(invalidValue(field, value, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'))
  }
  if (/^169\.254\./.test(value) || /^fe[89ab]/i.test(value)) {
    errors.push(invalidValue(field, value, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'))
  }
  if (/^224\.0\.0\./.test(value) || /^ff[0-9a-f]2:/i.test(value)) {
    errors.push(
      invalidValue(field, value, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'),
    )
  }
  return errors
}

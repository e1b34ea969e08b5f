import { isIPv4, isIPv6 } from 'node:net'

const UUID = (digit: string, variant = '[0-9a-f]'): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${digit}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i')

const matches =
  (expression: RegExp) =>
  (text: string): boolean =>
    expression.test(text)

/** The formats that are checked, by their names without dashes. Every expression takes linear time. */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['bsonobjectid', matches(/^[0-9a-f]{24}$/i)],
  ['uri', isUri],
  ['email', matches(/^[^@\s]+@[^@\s]+$/)],
  ['hostname', isHostname],
  ['ipv4', (text) => isIPv4(withoutZeros(text))],
  ['ipv6', isIPv6],
  ['cidr', isCidr],
  ['mac', matches(/^([0-9a-f]{2}[:-]){5}([0-9a-f]{2}[:-][0-9a-f]{2}[:-])?[0-9a-f]{2}$/i)],
  ['uuid', matches(UUID('[0-9a-f]'))],
  ['uuid3', matches(UUID('3'))],
  ['uuid4', matches(UUID('4', '[89ab]'))],
  ['uuid5', matches(UUID('5', '[89ab]'))],
  ['ssn', matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matches(/^#?([0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['byte', matches(/^(?!$)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', matches(/^[-+]?(\d+(\.\d*)?\s?(ns|us|µs|ms|s|m|h|d|w))+$|^0$/)],
  ['datetime', isDateTime],
  ['k8sshortname', matches(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)],
  ['k8slongname', (text) => text.length <= 253 && text.split('.').every((part) => LABEL.test(part))],
])
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

/** Formats that are known, but let everything pass here. */
const UNCHECKED = new Set(['isbn', 'isbn10', 'isbn13', 'creditcard', 'rgbcolor'])

/** Reports whether kube-apiserver knows a format of texts. */
export function isKnownFormat(format: string): boolean {
  const name = format.replaceAll('-', '')
  return FORMATS.has(name) || UNCHECKED.has(name)
}

/** Reports whether a text has a format. A format that is not checked allows everything. */
export function fitsFormat(text: string, format: string): boolean {
  return FORMATS.get(format.replaceAll('-', ''))?.(text) ?? true
}

function isUri(text: string): boolean {
  if (text.startsWith('/')) return true
  return URL.canParse(text)
}

function isHostname(text: string): boolean {
  return (
    text.length <= 255 &&
    /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*\.?$/.test(text)
  )
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/')
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false
  return isIPv4(withoutZeros(address)) ? Number(bits) <= 32 : isIPv6(address) && Number(bits) <= 128
}

/** Removes leading zeros from the numbers of an IPv4 address, which Go reads as decimals. */
const withoutZeros = (address: string): string => address.replace(/(^|\.)0+(?=\d)/g, '$1')

/** Reports whether a text is an existing day. Date.parse takes the 30th of February for the 1st of March. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

function isDateTime(text: string): boolean {
  const time = /^[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/
  return isDate(text.slice(0, 10)) && time.test(text.slice(10))
}

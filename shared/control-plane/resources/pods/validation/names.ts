import { type NameRule, subdomainName } from '../../../../kubernetes/index.ts'
import { type FieldError, invalidValue, required } from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { objectsAt, stringAt, stringsAt } from '../../../apimachinery/json/values.ts'
import { legacyIpErrors } from '../../../apimachinery/validation/ip.ts'
import { presentAt, ruled } from './checks.ts'

const NAMESERVERS = 3
const SEARCHES = 32
const SEARCH_CHARACTERS = 2048
const SEARCH = String.raw`_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*`

const searchName: NameRule = (value) => [
  ...(value.length > 253 ? ['must be no more than 253 bytes'] : []),
  ...(new RegExp(`^${SEARCH}$`).test(value)
    ? []
    : [
        `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SEARCH}')`,
      ]),
]

/** Validates how a pod resolves names (upstream: validatePodDNSConfig). */
export function dnsErrors(spec: JsonObject): FieldError[] {
  const at = 'spec.dnsConfig'
  const config = presentAt(spec, 'dnsConfig')
  const servers = stringsAt(config, 'nameservers')
  if (spec.dnsPolicy === 'None') {
    if (!config) return [required(at, 'must provide `dnsConfig` when `dnsPolicy` is None')]
    const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None'
    if (servers.length === 0) return [required(`${at}.nameservers`, why)]
  }
  return [
    ...(servers.length > NAMESERVERS
      ? [invalidValue(`${at}.nameservers`, servers, `must not have more than ${NAMESERVERS} nameservers`)]
      : []),
    ...servers.flatMap((server, index) => legacyIpErrors(`${at}.nameservers[${index}]`, server)),
    ...searchErrors(stringsAt(config, 'searches'), `${at}.searches`),
    ...objectsAt(config, 'options').flatMap((option, index) =>
      stringAt(option, 'name') === '' ? [required(`${at}.options[${index}]`, 'must not be empty')] : [],
    ),
  ]
}

function searchErrors(searches: readonly string[], at: string): FieldError[] {
  const limits = [
    ...(searches.length > SEARCHES ? [`${SEARCHES} search paths`] : []),
    ...(searches.join(' ').length > SEARCH_CHARACTERS
      ? [`${SEARCH_CHARACTERS} characters (including spaces) in the search list`]
      : []),
  ]
  return [
    ...limits.map((limit) => invalidValue(at, [...searches], `must not have more than ${limit}`)),
    ...searches.flatMap((search, index) =>
      search === '.' ? [] : ruled(`${at}[${index}]`, search.replace(/\.$/, ''), searchName),
    ),
  ]
}

/** Validates entries of `/etc/hosts` (upstream: ValidateHostAliases). */
export function hostAliasErrors(spec: JsonObject): FieldError[] {
  return objectsAt(spec, 'hostAliases').flatMap((alias, index) => {
    const at = `spec.hostAliases[${index}]`
    return [
      ...legacyIpErrors(`${at}.ip`, stringAt(alias, 'ip')),
      ...stringsAt(alias, 'hostnames').flatMap((name, place) =>
        subdomainName(name).map((text) => invalidValue(`${at}.hostnames[${place}]`, name, text)),
      ),
    ]
  })
}

import { type NameRule, subdomainName } from '../../../../kubernetes/index.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import { legacyIp } from '../../../apimachinery/validation/ip.ts'

const NAMESERVERS = 3
const SEARCHES = 32
const SEARCH_CHARACTERS = 2048
const SEARCH = String.raw`_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*`

const searchName: NameRule = (value) => [
  ...(value.length > 253 ? ['must be no more than 253 characters'] : []),
  ...(new RegExp(`^${SEARCH}$`).test(value)
    ? []
    : [
        `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SEARCH}')`,
      ]),
]

/** Validates how a pod resolves names (upstream: validatePodDNSConfig). */
export function validateDns(spec: Field): void {
  const config = spec.child('dnsConfig')
  const [servers, searches] = [config.child('nameservers'), config.child('searches')]
  if (spec.object.dnsPolicy === 'None') {
    if (!config.ifObject) {
      config.required('must provide `dnsConfig` when `dnsPolicy` is None')
      return
    }
    if (!servers.notEmpty('must provide at least one DNS nameserver when `dnsPolicy` is None')) return
  }
  if (servers.list.length > NAMESERVERS) servers.invalid(`must not have more than ${NAMESERVERS} nameservers`)
  for (const server of servers.items()) server.follows(legacyIp)
  validateSearches(searches)
  for (const option of config.child('options').items())
    if (option.child('name').text === '') option.required('must not be empty')
}

function validateSearches(searches: Field): void {
  if (searches.list.length > SEARCHES) searches.invalid(`must not have more than ${SEARCHES} search paths`)
  if (searches.strings.join(' ').length > SEARCH_CHARACTERS)
    searches.invalid(
      `must not have more than ${SEARCH_CHARACTERS} characters (including spaces) in the search list`,
    )
  for (const search of searches.items())
    if (search.text !== '.') search.with(search.text.replace(/\.$/, '')).ifFilled?.follows(searchName)
}

/** Validates entries of `/etc/hosts` (upstream: ValidateHostAliases). */
export function validateHostAliases(aliases: Field): void {
  for (const alias of aliases.items()) {
    alias.child('ip').follows(legacyIp)
    for (const name of alias.child('hostnames').items()) name.follows(subdomainName)
  }
}

import { describe, expect, it } from 'vitest'
import { configKey, labelKey, labelName, labelValue, portName, subdomainName } from './names.ts'

/** Returns the first words of each problem. */
const problems = (found: readonly string[]): string[] => found.map((text) => text.slice(0, 45))
const SUBDOMAIN = 'a lowercase RFC 1123 subdomain must consist o'
const LABEL = 'a lowercase RFC 1123 label must consist of lo'
const VALUE = 'a valid label must be an empty string or cons'
const CONFIG = 'a valid config key must consist of alphanumer'
const NAME_PART = 'name part must consist of alphanumeric charac'
const PREFIX_PART = 'prefix part a lowercase RFC 1123 subdomain mu'

describe('a name', () => {
  it.each([
    [subdomainName, 'a'.repeat(253), []],
    [subdomainName, 'a'.repeat(254), ['must be no more than 253 characters']],
    [subdomainName, 'web.shop-1', []],
    [subdomainName, 'Web', [SUBDOMAIN]],
    [subdomainName, 'A'.repeat(254), ['must be no more than 253 characters', SUBDOMAIN]],
    [labelName, 'a'.repeat(63), []],
    [labelName, 'a'.repeat(64), ['must be no more than 63 characters']],
    [labelName, 'a.b', ['must not contain dots']],
    [labelName, 'a_b', [LABEL]],
    [labelName, '', [LABEL]],
    [labelName, '_'.repeat(64), ['must be no more than 63 characters', LABEL]],
    [labelKey, 'app', []],
    [labelKey, 'example.com/app', []],
    [labelKey, 'a/b/c', ['a valid label key must consist of alphanumeri']],
    [labelKey, '', ['name part must be non-empty', NAME_PART]],
    [labelKey, 'x/', ['name part must be non-empty', NAME_PART]],
    [labelKey, '/x', ['prefix part must be non-empty']],
    [labelKey, 'Example/app', [PREFIX_PART]],
    [labelKey, `${'a'.repeat(253)}/app`, []],
    [labelKey, `${'a'.repeat(254)}/app`, ['prefix part must be no more than 253 bytes']],
    [labelKey, 'a'.repeat(63), []],
    [labelKey, 'a'.repeat(64), ['name part must be no more than 63 bytes']],
    [labelKey, '-'.repeat(64), ['name part must be no more than 63 bytes', NAME_PART]],
    [labelValue, '', []],
    [labelValue, 'a_B.c-1', []],
    [labelValue, 'a-', [VALUE]],
    [labelValue, 'a'.repeat(63), []],
    [labelValue, 'a'.repeat(64), ['must be no more than 63 bytes']],
    [labelValue, 'ä'.repeat(32), ['must be no more than 63 bytes', VALUE]],
    [configKey, 'A_b-c.yaml', []],
    [configKey, '.hidden', []],
    [configKey, 'a b', [CONFIG]],
    [configKey, ' a', [CONFIG]],
    [configKey, '', [CONFIG]],
    [configKey, '.', ["must not be '.'"]],
    [configKey, '..', ["must not be '..'"]],
    [configKey, '..data', ["must not be '..'"]],
    [configKey, 'a..', []],
    [configKey, 'a'.repeat(253), []],
    [configKey, 'a'.repeat(254), ['must be no more than 253 characters']],
    [configKey, ' '.repeat(254), ['must be no more than 253 characters', CONFIG]],
    [portName, 'http-2', []],
    [portName, 'a'.repeat(15), []],
    [portName, 'a'.repeat(16), ['must be no more than 15 characters']],
    [portName, 'HTTP-a', ['must contain only alpha-numeric characters (a']],
    [portName, 'a-HTTP', ['must contain only alpha-numeric characters (a']],
    [portName, '80', ['must contain at least one letter (a-z)']],
    [portName, 'a--b', ['must not contain consecutive hyphens']],
    [portName, '-a', ['must not begin or end with a hyphen']],
    [portName, 'a-', ['must not begin or end with a hyphen']],
  ])('by %o: %j has the problems %j', (rule, value, expected) => {
    expect(problems(rule(value))).toEqual(expected)
  })
})

import { labelKey, labelValue, quoted, subdomainName } from '../../../kubernetes/index.ts'
import { fitsFormat } from '../../apiextensions/structural/formats.ts'
import { CelError } from '../errors.ts'
import { type CelValue, Opaque, Optional, sizeOf } from '../values/value.ts'
import { type Library, matchCost, overload } from './function.ts'
import { problemOf } from './urls.ts'

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const OLD_LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const LONGEST_LABEL = 63

class Format extends Opaque {
  override readonly typeName = 'kubernetes.NamedFormat'
  readonly name: string
  /** The length of the expression that upstream counts it with. */
  readonly patternSize: number
  readonly problems: (text: string) => readonly string[]

  constructor(name: string, patternSize: number, problems: Format['problems']) {
    super()
    this.name = name
    this.patternSize = patternSize
    this.problems = problems
  }

  override equals(other: Opaque): boolean {
    return other instanceof Format && other.name === this.name
  }
}

/** Makes a name of a prefix, which may end with a dash, by adding to it. */
const asName = (text: string): string => text.replace(/-+$/, 'a')

function labelProblems(pattern: RegExp, why: string): (text: string) => string[] {
  return (text) => [
    ...(text.length > LONGEST_LABEL ? [`must be no more than ${LONGEST_LABEL} bytes`] : []),
    ...(pattern.test(text) ? [] : [why]),
  ]
}

const label = labelProblems(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, LABEL)
const oldLabel = labelProblems(/^[a-z]([-a-z0-9]*[a-z0-9])?$/, OLD_LABEL)
const format =
  (name: string, why: string) =>
  (text: string): string[] =>
    fitsFormat(text, name) ? [] : [why]

function uriProblems(text: string): string[] {
  const problem = problemOf(text)
  return problem === undefined ? [] : [`parse ${quoted(text)}: ${problem}`]
}

const FORMATS: ReadonlyMap<string, Format> = new Map(
  [
    new Format('dns1123Label', 30, label),
    new Format('dns1123Subdomain', 60, subdomainName),
    new Format('dns1035Label', 30, oldLabel),
    new Format('qualifiedName', 60, labelKey),
    new Format('dns1123LabelPrefix', 30, (text) => label(asName(text))),
    new Format('dns1123SubdomainPrefix', 60, (text) => subdomainName(asName(text))),
    new Format('dns1035LabelPrefix', 30, (text) => oldLabel(asName(text))),
    new Format('labelValue', 40, labelValue),
    new Format('uri', 1104, uriProblems),
    new Format('uuid', 72, format('uuid', 'does not match the UUID format')),
    new Format('byte', 84, format('byte', 'invalid base64')),
    new Format('date', 72, format('date', 'invalid date')),
    new Format('datetime', 72, format('datetime', 'invalid datetime')),
  ].map((known) => [known.name, known]),
)

function validate([value, text]: readonly CelValue[]): CelValue {
  if (!(value instanceof Format)) throw new CelError('no such overload')
  const problems = value.problems(text as string)
  return problems.length === 0 ? Optional.none : new Optional(problems)
}

const F = 'kubernetes.NamedFormat'

/** Kubernetes' named formats: `format.dns1123Label().validate(text)`. */
export const NAMED_FORMATS: Library = {
  'format.named': [
    overload(`(string) -> optional<${F}>`, ([name]) => {
      const found = FORMATS.get(name as string)
      return found ? new Optional(found) : Optional.none
    }),
  ],
  validate: [
    overload(`${F}.(string) -> optional<list<string>>`, validate, ([value, text = null]) =>
      matchCost(sizeOf(text), value instanceof Format ? value.patternSize : 1),
    ),
  ],
  ...Object.fromEntries(
    [...FORMATS].map(([name, value]) => [`format.${name}`, [overload(`() -> ${F}`, () => value)]]),
  ),
}

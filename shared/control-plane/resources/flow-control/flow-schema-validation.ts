import { labelName, subdomainName } from '../../../kubernetes/index.ts'
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import {
  isObject,
  numberAt,
  objectAt,
  objectsAt,
  ownMember,
  sameJson,
  stringAt,
  stringsAt,
} from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { fixedSpec } from './bootstrap.ts'
import { goForm } from './go-form.ts'
import { statusErrors } from './status.ts'

const LAST_PRECEDENCE = 10_000
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']
const DISTINGUISHERS = ['ByNamespace', 'ByUser']
const SUBJECTS: Readonly<Record<string, string>> = {
  Group: 'group',
  ServiceAccount: 'serviceAccount',
  User: 'user',
}

/** Validates a flow schema as upstream's ValidateFlowSchema does. */
export function flowSchemaErrors(schema: KubeObject): FieldError[] {
  const { name = '' } = schema.metadata
  const spec = objectAt(schema, 'spec')
  const fixed = fixedSpec('flowschemas', name)
  return [
    ...precedenceErrors(numberAt(spec, 'matchingPrecedence') ?? 0, name),
    ...distinguisherErrors(spec),
    ...priorityLevelErrors(stringAt(objectAt(spec, 'priorityLevelConfiguration'), 'name')),
    ...objectsAt(spec, 'rules').flatMap((rule, index) => ruleErrors(rule, `spec.rules[${index}]`)),
    ...(fixed && !sameJson(spec, fixed)
      ? [
          invalidValue(
            'spec',
            goForm(spec, 'flowcontrol.FlowSchemaSpec'),
            `spec of '${name}' must equal the fixed value`,
          ),
        ]
      : []),
    ...statusErrors(schema),
  ]
}

function precedenceErrors(precedence: number, name: string): FieldError[] {
  const at = 'spec.matchingPrecedence'
  return [
    ...(precedence <= 0 ? [invalidValue(at, precedence, 'must be a positive value')] : []),
    ...(precedence > LAST_PRECEDENCE
      ? [invalidValue(at, precedence, `must not be greater than ${LAST_PRECEDENCE}`)]
      : []),
    ...(precedence === 1 && name !== 'exempt'
      ? [invalidValue(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")]
      : []),
  ]
}

function distinguisherErrors({ distinguisherMethod: method }: JsonObject): FieldError[] {
  if (!isObject(method)) return []
  const type = stringAt(method, 'type')
  if (DISTINGUISHERS.includes(type)) return []
  // Upstream shows the whole internal object here.
  return [notSupported('spec.distinguisherMethod.type', { Type: type }, DISTINGUISHERS)]
}

function priorityLevelErrors(name: string): FieldError[] {
  const at = 'spec.priorityLevelConfiguration.name'
  if (name === '') return [required(at, 'must reference a priority level')]
  return subdomainName(name).map((text) => invalidValue(at, name, text))
}

function ruleErrors(rule: JsonObject, at: string): FieldError[] {
  const subjects = objectsAt(rule, 'subjects')
  const resourceRules = objectsAt(rule, 'resourceRules')
  const pathRules = objectsAt(rule, 'nonResourceRules')
  return [
    ...(subjects.length === 0
      ? [required(`${at}.subjects`, 'subjects must contain at least one value')]
      : subjects.flatMap((subject, index) => subjectErrors(subject, `${at}.subjects[${index}]`))),
    ...(resourceRules.length + pathRules.length === 0
      ? [required(at, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
      : []),
    ...resourceRules.flatMap((item, index) => resourceRuleErrors(item, `${at}.resourceRules[${index}]`)),
    ...pathRules.flatMap((item, index) => pathRuleErrors(item, `${at}.nonResourceRules[${index}]`)),
  ]
}

function subjectErrors(subject: JsonObject, at: string): FieldError[] {
  const kind = stringAt(subject, 'kind')
  const own = ownMember(SUBJECTS, kind)
  if (own === undefined) return [notSupported(`${at}.kind`, kind, Object.keys(SUBJECTS))]
  const named = subject[own]
  const others = ['serviceAccount', 'user', 'group'].filter(
    (member) => member !== own && isObject(subject[member]),
  )
  return [
    ...(isObject(named)
      ? namedErrors(kind, named, `${at}.${own}`)
      : [required(`${at}.${own}`, `${own} is required when subject kind is '${kind}'`)]),
    ...others.map((member) =>
      forbiddenField(
        `${at}.${member}`,
        `${member} is forbidden when subject kind is not '${member[0]?.toUpperCase()}${member.slice(1)}'`,
      ),
    ),
  ]
}

function namedErrors(kind: string, named: JsonObject, at: string): FieldError[] {
  const name = stringAt(named, 'name')
  const missing = name === '' ? [required(`${at}.name`)] : []
  if (kind !== 'ServiceAccount') return missing
  const namespace = stringAt(named, 'namespace')
  return [
    ...missing,
    ...(name === '' || name === '*' ? [] : subdomainName(name)).map((text) =>
      invalidValue(`${at}.name`, name, text),
    ),
    ...(namespace === ''
      ? [required(`${at}.namespace`, 'must specify namespace for service account')]
      : labelName(namespace).map((text) => invalidValue(`${at}.namespace`, namespace, text))),
  ]
}

function verbErrors(rule: JsonObject, at: string): FieldError[] {
  const verbs = stringsAt(rule, 'verbs')
  if (verbs.length === 0) return [required(`${at}.verbs`, 'verbs must contain at least one value')]
  if (verbs.includes('*')) return aloneErrors(verbs, `${at}.verbs`, 'verbs')
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [notSupported(`${at}.verbs`, verbs, VERBS)]
}

/** Reports values beside a `*`, which covers all of them. */
function aloneErrors(values: string[], at: string, others: string): FieldError[] {
  return values.includes('*') && values.length > 1
    ? [invalidValue(at, values, `if '*' is present, must not specify other ${others}`)]
    : []
}

function pathRuleErrors(rule: JsonObject, at: string): FieldError[] {
  const urls = stringsAt(rule, 'nonResourceURLs')
  const where = `${at}.nonResourceURLs`
  return [
    ...verbErrors(rule, at),
    ...(urls.length === 0 ? [required(where, 'nonResourceURLs must contain at least one value')] : []),
    ...aloneErrors(urls, where, 'non-resource URLs'),
    ...(urls.includes('*') ? [] : urls.flatMap((url, index) => pathErrors(url, `${where}[${index}]`))),
  ]
}

function pathErrors(path: string, at: string): FieldError[] {
  const problem = pathProblem(path)
  return problem === undefined ? [] : [invalidValue(at, path, problem)]
}

function pathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty'
  if (!path.startsWith('/')) return 'must start with slash'
  if (path.includes(' ')) return 'must not contain white-space'
  if (path.includes('//')) return 'must not contain double slash'
  const first = path.indexOf('*')
  return first < 0 || (first === path.length - 1 && path.endsWith('/*'))
    ? undefined
    : 'wildcard can only do suffix matching'
}

function resourceRuleErrors(rule: JsonObject, at: string): FieldError[] {
  const groups = stringsAt(rule, 'apiGroups')
  const resources = stringsAt(rule, 'resources')
  return [
    ...verbErrors(rule, at),
    ...(groups.length === 0
      ? [required(`${at}.apiGroups`, 'resource rules must supply at least one api group')]
      : aloneErrors(groups, `${at}.apiGroups`, 'api groups')),
    ...(resources.length === 0
      ? [required(`${at}.resources`, 'resource rules must supply at least one resource')]
      : aloneErrors(resources, `${at}.resources`, 'resources')),
    ...namespaceErrors(rule, `${at}.namespaces`),
  ]
}

function namespaceErrors(rule: JsonObject, at: string): FieldError[] {
  const namespaces = stringsAt(rule, 'namespaces')
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    return [required(at, 'resource rules that are not cluster scoped must supply at least one namespace')]
  }
  if (namespaces.includes('*')) return aloneErrors(namespaces, at, 'namespaces')
  return namespaces.flatMap((name, index) =>
    labelName(name).map((text) =>
      invalidValue(
        `${at}[${index}]`,
        name,
        `each member of this list must be '*' or a DNS-1123 label; ${text}`,
      ),
    ),
  )
}

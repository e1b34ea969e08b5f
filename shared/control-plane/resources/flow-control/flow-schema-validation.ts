import { labelName, subdomainName } from '../../../kubernetes/index.ts'
import { ownMember, sameJson } from '../../apimachinery/json/values.ts'
import type { Field } from '../../apimachinery/validation/field.ts'
import { fixedSpec } from './bootstrap.ts'
import { goForm } from './go-form.ts'
import { validateStatus } from './status.ts'

const LAST_PRECEDENCE = 10_000
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']
const DISTINGUISHERS = ['ByNamespace', 'ByUser']
const SUBJECTS: Readonly<Record<string, string>> = {
  Group: 'group',
  ServiceAccount: 'serviceAccount',
  User: 'user',
}

/** Validates a flow schema as upstream's ValidateFlowSchema does. */
export function validateFlowSchema(schema: Field): void {
  const name = schema.child('metadata', 'name').text
  const spec = schema.child('spec')
  validatePrecedence(spec.child('matchingPrecedence'), name)
  const method = spec.child('distinguisherMethod')
  const type = method.child('type')
  // Upstream shows the whole internal object here.
  if (method.ifObject && !DISTINGUISHERS.includes(type.text))
    type.notSupported(DISTINGUISHERS, { Type: type.text })
  const level = spec.child('priorityLevelConfiguration', 'name')
  level.notEmpty('must reference a priority level')?.follows(subdomainName)
  for (const rule of spec.child('rules').items()) validateRule(rule)
  const fixed = fixedSpec('flowschemas', name)
  if (fixed && !sameJson(spec.value, fixed))
    spec.invalid(
      `spec of '${name}' must equal the fixed value`,
      goForm(spec.object, 'flowcontrol.FlowSchemaSpec'),
    )
  validateStatus(schema)
}

function validatePrecedence(precedence: Field, name: string): void {
  precedence.atLeast(1, 'must be a positive value')
  precedence.between(-Infinity, LAST_PRECEDENCE, `must not be greater than ${LAST_PRECEDENCE}`)
  if (precedence.number === 1 && name !== 'exempt')
    precedence.invalid("only the schema named 'exempt' may have matchingPrecedence 1")
}

function validateRule(rule: Field): void {
  const subjects = rule.child('subjects')
  subjects.notEmpty('subjects must contain at least one value')
  for (const subject of subjects.items()) validateSubject(subject)
  const [resourceRules, pathRules] = [rule.child('resourceRules'), rule.child('nonResourceRules')]
  if (resourceRules.list.length + pathRules.list.length === 0)
    rule.required('at least one of resourceRules and nonResourceRules has to be non-empty')
  for (const resourceRule of resourceRules.items()) validateResourceRule(resourceRule)
  for (const pathRule of pathRules.items()) validatePathRule(pathRule)
}

function validateSubject(subject: Field): void {
  const kind = subject.child('kind')
  const own = ownMember(SUBJECTS, kind.text)
  if (own === undefined) {
    kind.notSupported(Object.keys(SUBJECTS))
    return
  }
  const named = subject.child(own)
  if (!named.ifObject) named.required(`${own} is required when subject kind is '${kind.text}'`)
  else if (kind.text === 'ServiceAccount') validateAccount(named)
  else named.child('name').notEmpty()
  for (const other of ['serviceAccount', 'user', 'group'])
    if (other !== own && subject.child(other).ifObject)
      subject
        .child(other)
        .forbidden(
          `${other} is forbidden when subject kind is not '${other[0]?.toUpperCase()}${other.slice(1)}'`,
        )
}

function validateAccount(account: Field): void {
  const [name, namespace] = [account.child('name'), account.child('namespace')]
  if (name.notEmpty() && name.text !== '*') name.follows(subdomainName)
  namespace.notEmpty('must specify namespace for service account')?.follows(labelName)
}

function validateVerbs(verbs: Field): void {
  if (!verbs.notEmpty('verbs must contain at least one value')) return
  if (verbs.list.includes('*')) validateAlone(verbs, 'verbs')
  else if (!verbs.strings.every((verb) => VERBS.includes(verb))) verbs.notSupported(VERBS)
}

/** Refuses values beside a `*`, which covers all of them. */
function validateAlone(values: Field, others: string): void {
  if (values.list.includes('*') && values.list.length > 1)
    values.invalid(`if '*' is present, must not specify other ${others}`)
}

function validatePathRule(rule: Field): void {
  const urls = rule.child('nonResourceURLs')
  validateVerbs(rule.child('verbs'))
  urls.notEmpty('nonResourceURLs must contain at least one value')
  validateAlone(urls, 'non-resource URLs')
  if (urls.list.includes('*')) return
  for (const url of urls.items()) {
    const problem = pathProblem(url.text)
    if (problem !== undefined) url.invalid(problem)
  }
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

function validateResourceRule(rule: Field): void {
  const [groups, resources, namespaces] = ['apiGroups', 'resources', 'namespaces'].map((member) =>
    rule.child(member),
  ) as [Field, Field, Field]
  validateVerbs(rule.child('verbs'))
  groups.notEmpty('resource rules must supply at least one api group')
  validateAlone(groups, 'api groups')
  resources.notEmpty('resource rules must supply at least one resource')
  validateAlone(resources, 'resources')
  if (rule.object.clusterScope !== true)
    namespaces.notEmpty('resource rules that are not cluster scoped must supply at least one namespace')
  if (namespaces.list.includes('*')) validateAlone(namespaces, 'namespaces')
  else
    for (const namespace of namespaces.items())
      for (const why of labelName(namespace.text))
        namespace.invalid(`each member of this list must be '*' or a DNS-1123 label; ${why}`)
}

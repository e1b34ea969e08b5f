import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { RequestAttributes, User } from '../../apiserver/registry/access.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import { byPrecedence } from './precedence.ts'

const GROUP = 'flowcontrol.apiserver.k8s.io'
const ACCOUNT_PREFIX = 'system:serviceaccount:'

/** Flow schema and priority level of a request. Clients learn of both by their uids alone. */
interface Classification {
  readonly flowSchemaUid: string
  readonly priorityLevelUid: string
}

type Classify = (attributes: RequestAttributes) => Classification | undefined

interface Candidate extends Classification {
  readonly rules: readonly JsonObject[]
}

/**
 * Finds the flow schema of requests: of those that match and whose priority level is there the first by
 * precedence, then by name. Undefined where flow control is not served.
 */
export function createClassifier(registry: Registry): Classify {
  const schemas = registry.endpoint(GROUP, 'v1', 'flowschemas')
  const levels = registry.endpoint(GROUP, 'v1', 'prioritylevelconfigurations')
  if (schemas === undefined || levels === undefined) return () => undefined
  let candidates: readonly Candidate[] | undefined
  const forget = () => {
    candidates = undefined
  }
  for (const { store, resource } of [schemas, levels]) store.subscribe(resource, forget)

  function ordered(): readonly Candidate[] {
    candidates ??= (schemas?.store.list(schemas.resource, '') ?? [])
      .toSorted(byPrecedence)
      .flatMap((schema) => {
        const spec = objectAt(schema, 'spec')
        const name = stringAt(objectAt(spec, 'priorityLevelConfiguration'), 'name')
        const level = levels?.store.get(levels.resource, name)
        if (level === undefined) return []
        const { uid: flowSchemaUid = '' } = schema.metadata
        const { uid: priorityLevelUid = '' } = level.metadata
        return { flowSchemaUid, priorityLevelUid, rules: objectsAt(spec, 'rules') }
      })
    return candidates
  }

  return (attributes) => ordered().find(({ rules }) => rules.some((rule) => matches(rule, attributes)))
}

function matches(rule: JsonObject, attributes: RequestAttributes): boolean {
  if (!objectsAt(rule, 'subjects').some((subject) => matchesSubject(subject, attributes.user))) return false
  return attributes.resourceRequest
    ? objectsAt(rule, 'resourceRules').some((item) => matchesResource(item, attributes))
    : objectsAt(rule, 'nonResourceRules').some((item) => matchesPath(item, attributes))
}

function matchesSubject(subject: JsonObject, { username, groups }: User): boolean {
  switch (subject.kind) {
    case 'User':
      return ['*', username].includes(stringAt(objectAt(subject, 'user'), 'name'))
    case 'Group': {
      const name = stringAt(objectAt(subject, 'group'), 'name')
      return name === '*' || groups.includes(name)
    }
    case 'ServiceAccount': {
      const account = objectAt(subject, 'serviceAccount')
      const prefix = `${ACCOUNT_PREFIX}${stringAt(account, 'namespace')}:`
      const name = stringAt(account, 'name')
      return name === '*' ? username.startsWith(prefix) : username === `${prefix}${name}`
    }
    default:
      return false
  }
}

function matchesResource(rule: JsonObject, attributes: RequestAttributes): boolean {
  const { verb, group, resource, subresource, namespace } = attributes
  return (
    has(rule, 'verbs', verb) &&
    has(rule, 'resources', subresource === '' ? resource : `${resource}/${subresource}`) &&
    has(rule, 'apiGroups', group) &&
    (namespace === '' ? rule.clusterScope === true : has(rule, 'namespaces', namespace))
  )
}

function matchesPath(rule: JsonObject, { verb, path }: RequestAttributes): boolean {
  return (
    has(rule, 'verbs', verb) &&
    stringsAt(rule, 'nonResourceURLs').some(
      (url) => url === '*' || url === path || path.startsWith(folderOf(url)),
    )
  )
}

/** Returns the folder: `/a`, `/a/` and `/a/*` all stand for everything below `/a/`. */
function folderOf(url: string): string {
  const prefix = url.replace(/\*$/, '')
  return prefix.endsWith('/') ? prefix : `${prefix}/`
}

function has(rule: JsonObject, member: string, value: string): boolean {
  const values = stringsAt(rule, member)
  return (values.length === 1 && values[0] === '*') || values.includes(value)
}

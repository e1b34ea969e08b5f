import { apiVersionOf } from '../registry/definition/names.ts'
import { ALL_VERBS, type ResourceDefinition } from '../registry/definition/resource-definition.ts'
import { structOf } from '../schema/table.ts'
import {
  anyText,
  boolean,
  type Check,
  type ChecksOf,
  formed,
  func,
  list,
  members,
  object,
  oneOf,
  text,
} from './check.ts'

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const label = formed('a DNS label of lower case letters, digits and -', new RegExp(`^${LABEL}$`))
const group = formed(
  "a DNS name of lower case letters, or '' for the core group",
  new RegExp(`^(${LABEL}(\\.${LABEL})*)?$`),
)

const struct: Check = (value, path) => {
  text(value, path)
  if (structOf(String(value)) === undefined)
    throw new TypeError(
      `${path} must be a struct of Kubernetes that the server knows, as core.Pod, not ${JSON.stringify(value)}; a kind of your own has openApi or nothing`,
    )
}

const RESOURCE: ChecksOf<ResourceDefinition> = {
  group,
  version: label,
  kind: formed('a name of letters and digits', /^[A-Za-z][A-Za-z0-9]*$/),
  plural: label,
  singular: label,
  shortNames: list(text),
  categories: list(text),
  listKind: text,
  namespaced: boolean,
  schema: struct,
  codec: object,
  openApi: object,
  storedElsewhere: boolean,
  shares: object,
  upstreamVersion: text,
  verbs: list(oneOf(ALL_VERBS)),
  hasStatus: boolean,
  statusKeepsMetadata: boolean,
  subresources: object,
  unconditionalUpdate: boolean,
  createOnUpdate: boolean,
  returnsDeleted: boolean,
  selectableFields: object,
  table: object,
  deprecation: anyText,
  nameRule: func,
  finalizers: text,
  strategy: object,
  lifecycle: object,
}
const resource = members(RESOURCE, ['group', 'version', 'kind', 'plural', 'singular', 'namespaced'])

/** Refuses definitions that clients could not use, and two of the same resource or kind. */
export function checkResources(value: unknown, path: string): void {
  list(resource)(value, path)
  const seen = new Set<string>()
  for (const definition of value as readonly ResourceDefinition[]) {
    const { kind, plural } = definition
    const apiVersion = apiVersionOf(definition)
    for (const name of [`resource ${plural}`, `kind ${kind}`]) {
      const key = `${name} of ${apiVersion}`
      if (seen.has(key)) throw new TypeError(`${path} must have one definition of the ${key}, not two`)
      seen.add(key)
    }
  }
}

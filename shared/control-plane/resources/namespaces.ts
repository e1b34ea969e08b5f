import { labelKey, labelName } from '../../kubernetes/index.ts'
import { forbidden } from '../apimachinery/errors/factories.ts'
import { objectAt, stringAt } from '../apimachinery/json/values.ts'
import { type KubeObject, labelsOf } from '../apimachinery/objects.ts'
import { errorsBy, type Field } from '../apimachinery/validation/field.ts'
import { validateQualified } from '../apimachinery/validation/metadata.ts'
import type { ResourceDefinition, Subresource } from '../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../apiserver/table/columns.ts'
import { builtInKind } from './built-in-kind.ts'

const NAME_LABEL = 'kubernetes.io/metadata.name'
const PROTECTED = new Set(['default', 'kube-system', 'kube-public'])

/** `/finalize`: takes `spec.finalizers` only; a terminating namespace without any is gone. */
const finalize: Subresource = {
  kind: 'Namespace',
  verbs: ['update'],
  merge: (submitted, stored) => ({ ...stored, spec: objectAt(submitted, 'spec') }),
  validate: errorsBy((namespace) => {
    for (const finalizer of namespace.child('spec', 'finalizers').items()) {
      finalizer.follows(labelKey)
      validateQualified(finalizer)
    }
  }),
}

export const namespaces: ResourceDefinition = {
  ...builtInKind('', 'Namespace'),
  namespaced: false,
  shortNames: ['ns'],
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  nameRule: labelName,
  returnsDeleted: true,
  hasStatus: true,
  selectableFields: {
    'status.phase': phaseOf,
    name: (object) => object.metadata.name ?? '',
  },
  table: tableOf('namespaces', (namespace) => ({ Status: phaseOf(namespace) })),
  subresources: { finalize },
  strategy: {
    finalizedBySpec: true,
    setDefaults: (object) => {
      const { name } = object.metadata
      if (name) object.metadata.labels = sorted({ ...labelsOf(object), [NAME_LABEL]: name })
      object.status = { phase: 'Active', ...objectAt(object, 'status') }
    },
    prepareForCreate: (object) => {
      object.metadata.labels = sorted({ ...labelsOf(object), [NAME_LABEL]: object.metadata.name ?? '' })
      const finalizers = objectAt(object, 'spec').finalizers
      const listed = Array.isArray(finalizers) ? finalizers : []
      object.spec = { finalizers: listed.includes('kubernetes') ? listed : [...listed, 'kubernetes'] }
      object.status = { phase: 'Active' }
    },
    prepareForUpdate: (object, old) => {
      object.spec = objectAt(old, 'spec')
    },
    validateStatusUpdate: errorsBy(validateStatus),
    checkDelete: ({ metadata: { name = '' } }) => {
      if (PROTECTED.has(name)) throw forbidden(namespaces, name, 'this namespace may not be deleted')
    },
  },
}

/** Checks that the phase follows the deletion (upstream's ValidateNamespaceStatusUpdate). */
function validateStatus(namespace: Field): void {
  const [phase, state] = namespace.child('metadata', 'deletionTimestamp').ifFilled
    ? ['Terminating', 'not empty']
    : ['Active', 'empty']
  const actual = namespace.child('status', 'phase')
  if (actual.text !== phase)
    actual
      .as('status.Phase')
      .invalid(`may only be '${phase}' if \`deletionTimestamp\` is ${state}`, actual.text)
}

function phaseOf(object: KubeObject): string {
  return stringAt(objectAt(object, 'status'), 'phase')
}

function sorted(labels: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
}

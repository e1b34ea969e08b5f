import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, stringAt, stringsAt } from '../apimachinery/json/values.ts'
import { finalizersOf, type KubeObject, timestamp } from '../apimachinery/objects.ts'
import { errorsBy } from '../apimachinery/validation/field.ts'
import { pathSegmentName } from '../apimachinery/validation/names.ts'
import type { ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'
import { countChanges } from '../apiserver/registry/writes/generation.ts'
import { canonical } from '../apiserver/schema/decode.ts'
import { tableOf } from '../apiserver/table/columns.ts'
import { CLEANUP, GROUP, specOf, statusOf, storageVersionOf, withCondition } from './crd.ts'
import type { SchemaTools } from './schema-tools.ts'
import { validateName } from './validation/names.ts'
import { formatWarnings } from './validation/schema/format-warnings.ts'
import { validateSpec } from './validation/spec.ts'
import { validateApproval, validateSpecUpdate, validateStoredVersions } from './validation/update.ts'

const SCHEMA = 'apiextensions.CustomResourceDefinition'

/** Returns CustomResourceDefinitions as a resource. The controller serves what they define. */
export function customResourceDefinitions(tools: SchemaTools): ResourceDefinition {
  return {
    group: GROUP,
    version: 'v1',
    upstreamVersion: 'v1beta1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    singular: 'customresourcedefinition',
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    schema: SCHEMA,
    nameRule: pathSegmentName,
    finalizers: 'any',
    hasStatus: true,
    returnsDeleted: true,
    unconditionalUpdate: false,
    table: {
      ...tableOf('customresourcedefinitions'),
      nullWithoutRows: true,
    },
    strategy: {
      setDefaults,
      load: () => tools.cel.load(),
      prepareForCreate: (crd) => {
        countChanges(crd, undefined)
        crd.status = { storedVersions: storedWith(crd, []) }
      },
      prepareForUpdate: (crd, old) => {
        countChanges(crd, old, 'spec')
        const status = statusOf(old)
        crd.status = { ...status, storedVersions: storedWith(crd, stringsAt(status, 'storedVersions')) }
      },
      prepareForStatusUpdate: (crd, old) => {
        crd.spec = specOf(old)
      },
      validateCreate: errorsBy((crd) => {
        validateName(crd)
        validateSpec(crd.child('spec'), undefined, tools)
        validateStoredVersions(crd)
        validateApproval(crd)
      }),
      validateUpdate: errorsBy((crd, old: KubeObject) => {
        validateSpec(crd.child('spec'), old, tools)
        validateSpecUpdate(crd.child('spec'), old)
        validateStoredVersions(crd)
        validateApproval(crd, old)
      }),
      warn: (crd, old, warnings) => {
        warnings.push(...formatWarnings(crd, old))
      },
      prepareForDelete: (crd, { now }) => {
        if (crd.metadata.deletionTimestamp) return crd
        const finalizers = finalizersOf(crd)
        const held = finalizers.includes(CLEANUP) ? finalizers : [...finalizers, CLEANUP]
        const condition = {
          type: 'Terminating',
          status: 'True',
          reason: 'InstanceDeletionPending',
          message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
        } as const
        const metadata = { ...crd.metadata, finalizers: held, deletionTimestamp: timestamp(now) }
        const marked = canonical({ ...crd, metadata }, SCHEMA)
        return withCondition({ ...marked, metadata: objectAt(marked, 'metadata') }, condition, now)
      },
    },
  }
}

function setDefaults(crd: KubeObject): void {
  const spec = specOf(crd)
  const names = objectAt(spec, 'names')
  const kind = stringAt(names, 'kind')
  crd.spec = {
    ...spec,
    names: {
      ...names,
      singular: stringAt(names, 'singular') || kind.toLowerCase(),
      ...(kind === '' ? {} : { listKind: stringAt(names, 'listKind') || `${kind}List` }),
    },
    conversion: conversionOf(spec),
  }
  const status = statusOf(crd)
  if (stringsAt(status, 'storedVersions').length > 0) return
  crd.status = { ...status, storedVersions: storedWith(crd, []) }
}

function conversionOf(spec: JsonObject): JsonObject {
  if (!isObject(spec.conversion)) return { strategy: 'None' }
  const webhook = objectAt(spec.conversion, 'webhook')
  const config = objectAt(webhook, 'clientConfig')
  if (!isObject(config.service) || config.service.port !== undefined) return spec.conversion
  const service = { ...config.service, port: 443 }
  return { ...spec.conversion, webhook: { ...webhook, clientConfig: { ...config, service } } }
}

/** Returns the versions in which objects may be stored, with the present one. */
function storedWith(crd: KubeObject, stored: readonly string[]): string[] {
  const storage = storageVersionOf(crd)
  return storage === '' || stored.includes(storage) ? [...stored] : [...stored, storage]
}

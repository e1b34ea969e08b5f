import { objectAt } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { errorsBy } from '../apimachinery/validation/field.ts'
import { pathSegmentName } from '../apimachinery/validation/names.ts'
import type { ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../apiserver/table/columns.ts'
import {
  availabilityOf,
  DEFAULT_PORT,
  GROUP,
  LOCAL,
  serviceOf,
  specOf,
  withAvailability,
} from './api-service.ts'
import { validateApiService, validateApiServiceStatus } from './validation.ts'

/** APIServices as a resource; what they delegate is the proxy's. */
export const apiServices: ResourceDefinition = {
  group: GROUP,
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  singular: 'apiservice',
  namespaced: false,
  categories: ['api-extensions'],
  schema: 'apiregistration.APIService',
  finalizers: 'any',
  nameRule: pathSegmentName,
  hasStatus: true,
  statusKeepsMetadata: true,
  unconditionalUpdate: false,
  table: tableOf('apiservices', (apiService) => ({
    Service: serviceCell(apiService),
    Available: availabilityCell(apiService),
  })),
  strategy: {
    setDefaults,
    prepareForCreate: (apiService, { now }) => {
      const { status, ...bare } = apiService
      const isLocal = serviceOf(apiService) === undefined
      apiService.status = isLocal ? objectAt(withAvailability(bare as KubeObject, LOCAL, now), 'status') : {}
    },
    prepareForStatusUpdate: (apiService, old) => {
      const { labels, annotations, finalizers, ownerReferences, ...metadata } = apiService.metadata
      const kept = ['labels', 'annotations', 'finalizers', 'ownerReferences'].flatMap((member) =>
        old.metadata[member] === undefined ? [] : [[member, old.metadata[member]] as const],
      )
      apiService.spec = specOf(old)
      apiService.metadata = { ...metadata, ...Object.fromEntries(kept) }
    },
    validate: errorsBy(validateApiService),
    validateStatusUpdate: errorsBy(validateApiServiceStatus),
  },
}

function setDefaults(apiService: KubeObject): void {
  const spec = specOf(apiService)
  if (!serviceOf(apiService)) return
  const service = objectAt(spec, 'service')
  apiService.spec = { ...spec, service: { ...service, port: service.port ?? DEFAULT_PORT } }
}

function serviceCell(apiService: KubeObject): string {
  const service = serviceOf(apiService)
  return service ? `${service.namespace}/${service.name}` : 'Local'
}

function availabilityCell(apiService: KubeObject): string {
  const { status, reason } = availabilityOf(apiService) ?? { status: 'Unknown', reason: '' }
  return status === 'True' || reason === '' ? status : `${status} (${reason})`
}

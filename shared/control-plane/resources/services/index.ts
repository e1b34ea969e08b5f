import { labelName } from '../../../kubernetes/index.ts'
import { invalid } from '../../apimachinery/errors/factories.ts'
import { objectAt, objectsAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import { type KubeObject, stringMap } from '../../apimachinery/objects.ts'
import { errorsBy } from '../../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { formatLabels, orNone, servicePort } from '../../apiserver/table/format.ts'
import { builtInKind } from '../built-in-kind.ts'
import { keepAddressObjects } from './address-objects.ts'
import { ServiceAllocator } from './allocator.ts'
import { dropFormerFields, keepAllocated, normalizeClusterIps, trimDowngrade } from './carry-over.ts'
import { setFamilies, setServiceDefaults } from './families.ts'
import { publishKubernetesService } from './kubernetes-service.ts'
import { specOf } from './spec.ts'
import { validateClusterIps, validateService, validateServiceUpdate } from './validation.ts'
import { serviceWarnings } from './warnings.ts'

/** Returns the Services' resource with these CIDR blocks of cluster IPs, the primary family first. */
export function services(serviceRanges: readonly string[]): ResourceDefinition {
  const allocator = new ServiceAllocator(serviceRanges)
  return {
    ...builtInKind('', 'Service'),
    namespaced: true,
    shortNames: ['svc'],
    categories: ['all'],
    nameRule: labelName,
    createOnUpdate: true,
    returnsDeleted: true,
    hasStatus: true,
    selectableFields: {
      'spec.clusterIP': (object) => stringAt(specOf(object), 'clusterIP'),
      'spec.type': (object) => stringAt(specOf(object), 'type'),
    },
    table: tableOf('services', serviceCells),
    strategy: {
      setDefaults: setServiceDefaults,
      prepareForCreate: (service) => {
        service.status = {}
        normalizeClusterIps(service, undefined)
        checkAddresses(service)
        setFamilies(service, allocator.families)
      },
      prepareForUpdate: (service, old) => {
        normalizeClusterIps(service, old)
        dropFormerFields(service, old)
        keepAllocated(service, old)
        trimDowngrade(service, old)
        setFamilies(service, allocator.families)
      },
      validate: errorsBy(validateService),
      validateUpdate: errorsBy(validateServiceUpdate),
      allocate: (service, old, context) => allocator.allocate(service, old, context),
      warn: (service, _old, warnings) => warnings.push(...serviceWarnings(service)),
      onChange: (service, old) => allocator.onChange(service, old),
    },
    lifecycle: {
      start: keepAddressObjects,
      listening: (registry, address) => publishKubernetesService(registry, allocator.firstAddress, address),
    },
  }
}

/** Families are inferred from addresses, so these must be right before. */
function checkAddresses(service: KubeObject): void {
  const errors = errorsBy((object) => validateClusterIps(object.child('spec')))(service)
  const other = errorsBy(validateService)(service)
  if (errors.length > 0 && other.length === errors.length) {
    throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', errors)
  }
}

function serviceCells(service: KubeObject) {
  const spec = specOf(service)
  return {
    Type: stringAt(spec, 'type'),
    'Cluster-IP': orNone(stringsAt(spec, 'clusterIPs')[0] ?? stringAt(spec, 'clusterIP')),
    'External-IP': externalAddress(service),
    'Port(s)': orNone(objectsAt(spec, 'ports').map(servicePort).join(',')),
    Selector: formatLabels(stringMap(spec.selector)),
  }
}

function externalAddress(service: KubeObject): string {
  const spec = specOf(service)
  const external = stringsAt(spec, 'externalIPs')
  switch (spec.type) {
    case 'ExternalName':
      return stringAt(spec, 'externalName')
    case 'LoadBalancer': {
      const balancer = objectAt(objectAt(service, 'status'), 'loadBalancer')
      const ingress = objectsAt(balancer, 'ingress').map(
        (item) => stringAt(item, 'ip') || stringAt(item, 'hostname'),
      )
      const all = [...ingress, ...external]
      return all.length > 0 ? all.join(',') : '<pending>'
    }
    default:
      return orNone(external.join(','))
  }
}

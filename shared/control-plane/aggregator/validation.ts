import { labelName, quoted, subdomainName } from '../../kubernetes/index.ts'
import { type FieldError, invalidValue, notSupported, required } from '../apimachinery/errors/field.ts'
import { numberAt, objectAt, objectsAt, stringAt } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { groupVersionOf, nameOf, prioritiesOf, serviceOf, specOf } from './api-service.ts'

const HIGHEST_GROUP_PRIORITY = 20_000
const HIGHEST_VERSION_PRIORITY = 1000
const HIGHEST_PORT = 65_535
const STATUSES = ['True', 'False', 'Unknown']

/** Validates an APIService (kube-aggregator/pkg/apis/apiregistration/validation). */
export function apiServiceErrors(apiService: KubeObject): FieldError[] {
  return [
    ...nameErrors(apiService),
    ...groupVersionErrors(apiService),
    ...priorityErrors(apiService),
    ...(serviceOf(apiService) ? serviceErrors(apiService) : localErrors(apiService)),
  ]
}

function nameErrors(apiService: KubeObject): FieldError[] {
  const wanted = nameOf(groupVersionOf(apiService))
  const { name, generateName } = apiService.metadata
  const why = `must be \`spec.version+"."+spec.group\`: ${quoted(wanted)}`
  return [
    ...(generateName ? [invalidValue('metadata.generateName', generateName, why)] : []),
    ...(name && name !== wanted ? [invalidValue('metadata.name', name, why)] : []),
  ]
}

function groupVersionErrors(apiService: KubeObject): FieldError[] {
  const { group, version } = groupVersionOf(apiService)
  const nameless = 'only v1 may have an empty group and it better be legacy kube'
  return [
    ...(group === '' && version !== 'v1' ? [required('spec.group', nameless)] : []),
    ...(group === '' ? [] : subdomainName(group)).map((text) => invalidValue('spec.group', group, text)),
    ...versionErrors(version).map((text) => invalidValue('spec.version', version, text)),
  ]
}

/** Validates a version, which must be a DNS-1035 label. */
function versionErrors(version: string): string[] {
  const tooLong = labelName(version).filter((text) => text.startsWith('must be no more than'))
  const isLabel = /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(version)
  const shape =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
  return [...tooLong, ...(isLabel ? [] : [shape])]
}

function priorityErrors(apiService: KubeObject): FieldError[] {
  const { groupPriorityMinimum, versionPriority } = prioritiesOf(apiService)
  const bounded = (field: string, value: number, highest: number): FieldError[] =>
    value > 0 && value <= highest
      ? []
      : [invalidValue(`spec.${field}`, value, `must be positive and less than ${highest}`)]
  return [
    ...bounded('groupPriorityMinimum', groupPriorityMinimum, HIGHEST_GROUP_PRIORITY),
    ...bounded('versionPriority', versionPriority, HIGHEST_VERSION_PRIORITY),
  ]
}

function localErrors(apiService: KubeObject): FieldError[] {
  const spec = specOf(apiService)
  const size = Buffer.from(stringAt(spec, 'caBundle'), 'base64').length
  return [
    ...(size > 0
      ? [invalidValue('spec.caBundle', `${size} bytes`, 'local APIServices may not have a caBundle')]
      : []),
    ...(spec.insecureSkipTLSVerify === true
      ? [
          invalidValue(
            'spec.insecureSkipTLSVerify',
            true,
            'local APIServices may not have insecureSkipTLSVerify',
          ),
        ]
      : []),
  ]
}

function serviceErrors(apiService: KubeObject): FieldError[] {
  const spec = specOf(apiService)
  const service = objectAt(spec, 'service')
  const port = numberAt(service, 'port') ?? 0
  const unverified = spec.insecureSkipTLSVerify === true && stringAt(spec, 'caBundle') !== ''
  return [
    ...['namespace', 'name']
      .filter((member) => stringAt(service, member) === '')
      .map((member) => required(`spec.service.${member}`)),
    ...(port >= 1 && port <= HIGHEST_PORT
      ? []
      : [
          invalidValue(
            'spec.service.port',
            port,
            'port is not valid: must be between 1 and 65535, inclusive',
          ),
        ]),
    ...(unverified
      ? [invalidValue('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')]
      : []),
  ]
}

export function statusErrors(apiService: KubeObject): FieldError[] {
  return objectsAt(objectAt(apiService, 'status'), 'conditions').flatMap((condition, index) => {
    const status = stringAt(condition, 'status')
    const field = `status.conditions[${index}].status`
    return STATUSES.includes(status) ? [] : [notSupported(field, status, STATUSES)]
  })
}

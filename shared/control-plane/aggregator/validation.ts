import { quoted, subdomainName } from '../../kubernetes/index.ts'
import type { Field } from '../apimachinery/validation/field.ts'
import { dns1035Label } from '../apimachinery/validation/names.ts'
import { nameOf } from './api-service.ts'

const HIGHEST_GROUP_PRIORITY = 20_000
const HIGHEST_VERSION_PRIORITY = 1000
const STATUSES = ['True', 'False', 'Unknown']

/** Validates an APIService (kube-aggregator/pkg/apis/apiregistration/validation). */
export function validateApiService(apiService: Field): void {
  const [metadata, spec] = [apiService.child('metadata'), apiService.child('spec')]
  const [group, version] = [spec.child('group'), spec.child('version')]
  const wanted = nameOf({ group: group.text, version: version.text })
  const why = `must be \`spec.version+"."+spec.group\`: ${quoted(wanted)}`
  metadata.child('generateName').ifFilled?.invalid(why)
  if (metadata.child('name').text !== wanted) metadata.child('name').ifFilled?.invalid(why)
  if (version.text !== 'v1') group.notEmpty('only v1 may have an empty group and it better be legacy kube')
  group.ifFilled?.follows(subdomainName)
  version.follows(dns1035Label)
  validatePriority(spec.child('groupPriorityMinimum'), HIGHEST_GROUP_PRIORITY)
  validatePriority(spec.child('versionPriority'), HIGHEST_VERSION_PRIORITY)
  if (spec.child('service').ifObject) validateService(spec)
  else validateLocal(spec)
}

function validatePriority(priority: Field, highest: number): void {
  priority.between(1, highest, `must be positive and less than ${highest}`)
}

function validateLocal(spec: Field): void {
  const bundle = spec.child('caBundle')
  const size = Buffer.from(bundle.text, 'base64').length
  if (size > 0) bundle.invalid('local APIServices may not have a caBundle', `${size} bytes`)
  const unverified = spec.child('insecureSkipTLSVerify')
  if (unverified.value === true) unverified.invalid('local APIServices may not have insecureSkipTLSVerify')
}

function validateService(spec: Field): void {
  const service = spec.child('service')
  service.child('namespace').notEmpty()
  service.child('name').notEmpty()
  service.child('port').between(1, 65_535, 'port is not valid: must be between 1 and 65535, inclusive')
  const unverified = spec.child('insecureSkipTLSVerify')
  if (unverified.value === true && spec.child('caBundle').text !== '')
    unverified.invalid('may not be true if caBundle is present')
}

export function validateApiServiceStatus(apiService: Field): void {
  for (const condition of apiService.child('status', 'conditions').items())
    condition.child('status').oneOf(STATUSES)
}

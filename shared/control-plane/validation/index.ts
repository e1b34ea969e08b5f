export {
  configKey,
  labelKey,
  labelName,
  labelValue,
  type NameRule,
  portName,
  subdomainName,
} from '../../kubernetes/index.ts'
export { cidrErrors, familyOfBlock, groupsOf } from './cidr.ts'
export {
  canonicalIp,
  endpointIpErrors,
  familyOf,
  type IpFamily,
  ipErrors,
  ipWarnings,
  legacyIpErrors,
} from './ip.ts'
export {
  annotationMapErrors,
  type FinalizerRule,
  labelMapErrors,
  metadataErrors,
  metadataUpdateErrors,
} from './metadata.ts'
export { pathSegmentName } from './path-segment.ts'

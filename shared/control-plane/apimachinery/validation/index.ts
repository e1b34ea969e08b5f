export {
  configKey,
  labelKey,
  labelName,
  labelValue,
  type NameRule,
  portName,
  subdomainName,
} from '../../../kubernetes/index.ts'
export { cidrErrors, familyOfBlock, legacyCidrErrors } from './cidr.ts'
export { conditionsErrors } from './conditions.ts'
export { dns1035Label } from './dns-label.ts'
export {
  bytesOfIp,
  canonicalIp,
  endpointIpErrors,
  familyOf,
  type IpFamily,
  ipErrors,
  ipOfBytes,
  ipWarnings,
  isMappedIp,
  legacyIpErrors,
} from './ip.ts'
export {
  annotationMapErrors,
  type FinalizerRule,
  labelMapErrors,
  metadataErrors,
  metadataUpdateErrors,
  unqualifiedFinalizer,
} from './metadata.ts'
export { pathSegmentName } from './path-segment.ts'

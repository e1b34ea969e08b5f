export {
  configKey,
  labelKey,
  labelName,
  labelValue,
  type NameRule,
  portName,
  subdomainName,
} from '../../kubernetes/index.ts'
export { canonicalIp, endpointIpErrors, familyOf, type IpFamily, ipErrors, legacyIpErrors } from './ip.ts'
export { type FinalizerRule, labelMapErrors, metadataErrors, metadataUpdateErrors } from './metadata.ts'
export { pathSegmentName } from './path-segment.ts'

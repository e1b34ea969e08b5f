export { canonicalIp, endpointIpErrors, familyOf, type IpFamily, ipErrors, legacyIpErrors } from './ip.ts'
export { labelMapErrors, metadataErrors, metadataUpdateErrors } from './metadata.ts'
export {
  configKey,
  labelKey,
  labelName,
  labelValue,
  type NameRule,
  portName,
  subdomainName,
} from './names.ts'

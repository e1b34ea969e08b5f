export type { User } from './access.ts'
export {
  type Authorize,
  type Decision,
  decide,
  ISSUER,
  type RequestAttributes,
  type TokenClaims,
} from './access.ts'
export { admissionOf } from './admission/request.ts'
export type {
  AdmissionAttributes,
  AdmissionOperation,
  AdmissionPlugin,
  AdmissionRequest,
  GroupVersionKind,
  GroupVersionResource,
  RequestLifetime,
} from './admission/types.ts'
export { writeConverted } from './conversion/converted-write.ts'
export { type DecodedKind, decodeObject, encodeObject } from './decode.ts'
export type { Codec, ExternalConversion, SharedStorage } from './definition/codec.ts'
export { apiVersionOf, keyOf } from './definition/names.ts'
export {
  ALL_VERBS,
  type DeleteOptions,
  type DeleteResult,
  type Endpoint,
  type Endpoints,
  type Lifecycle,
  type OtherKind,
  type ResourceDefinition,
  type ServerAddress,
  type Subresource,
  type SubresourceResult,
  type Verb,
  type WriteEndpoint,
} from './definition/resource-definition.ts'
export type { Strategy } from './definition/strategy.ts'
export type { Column, TableColumns } from './definition/table-columns.ts'
export type { WriteContext } from './definition/write-context.ts'
export type { ObjectReader } from './object-reader.ts'
export { Registry } from './registry.ts'
export { systemContext } from './system-context.ts'
export { compareVersions } from './versions.ts'
export { answerQuestion, isQuestion } from './writes/answer.ts'
export { admitAndCreate, checkNamespace, createObject } from './writes/create.ts'
export { admitAndDelete, checkPreconditions, deleteObject, deletionAnswer } from './writes/delete.ts'
export { countGeneration } from './writes/generation.ts'
export { createStandardObject } from './writes/standard-object.ts'
export { trackingOf } from './writes/track-write.ts'
export { admitAndUpdate, checkUid, type UpdateTarget, updateObject } from './writes/update.ts'

export {
  type Authorize,
  type Decision,
  decide,
  ISSUER,
  type RequestAttributes,
  type TokenClaims,
} from './access.ts'
export { answerQuestion, isQuestion } from './answer.ts'
export { createObject } from './create.ts'
export { decodeObject, encodeObject } from './decode.ts'
export {
  ALL_VERBS,
  apiVersionOf,
  type Codec,
  type Column,
  keyOf,
  type ObjectReader,
  type OtherKind,
  type ResourceDefinition,
  resourceName,
  type Strategy,
  type Subresource,
  type SubresourceResult,
  type TableColumns,
  type User,
  type Verb,
  type Lifecycle,
  type WriteContext,
} from './definition.ts'
export { type DeleteOptions, type Deletion, deleteObject, deletionAnswer } from './delete.ts'
export { type Endpoint, type EndpointStore, endpointOf } from './endpoint.ts'
  type ServerAddress,
export { type Follower, Registry } from './registry.ts'
export { systemContext } from './system-context.ts'
export { trackingOf } from './track-write.ts'
export { checkUid, type UpdateTarget, updateObject } from './update.ts'
export { compareVersions } from './versions.ts'

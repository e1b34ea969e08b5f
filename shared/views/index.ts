export {
  type ApiClient,
  type ApiClientOptions,
  type ClusterConnection,
  createApiClient,
  loadClusters,
} from '../kubernetes/index.ts'
export {
  createTargetWriter,
  type FollowOptions,
  followCluster,
  type WriteTarget,
} from './cluster/index.ts'
export {
  type ConsumeOptions,
  createLiveViews,
  type LiveViews,
  type LiveViewsOptions,
  type SubscriptionOptions,
  type ViewHandler,
  type ViewSubscription,
} from './consumers/index.ts'
export type {
  ControllerExplanation,
  Engine,
  EngineOptions,
  Explanation,
  ObjectEvent,
  ObjectEventType,
  ObjectProblem,
  OriginExplanation,
  OriginObject,
  Outcome,
  PipelineDelta,
  ViewEvent,
  ViewObject,
  ViewReference,
} from './engine/index.ts'
export { createEngine, diffViews, evaluateViews } from './engine/index.ts'
export { EvaluationError, PathError, SpecError, type SpecProblem, ViewsError } from './errors.ts'
export { dot, mermaid } from './graph/index.ts'
export type { Json, JsonList, JsonObject } from './json/index.ts'
export { type ViewKind, viewKinds } from './kinds/index.ts'
export {
  type ControllerSpec,
  type LoadOptions,
  loadSpec,
  loadSpecFile,
  type OperatorSpec,
  type PipelineSpec,
  type Predicate,
  type ResourceSpec,
  type SourceSpec,
  type SourceType,
  type StepSpec,
  type TargetSpec,
  type TargetType,
} from './spec/index.ts'

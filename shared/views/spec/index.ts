export { type LoadOptions, loadSpec, loadSpecFile } from './load.ts'
export type {
  ControllerSpec,
  GatherSpec,
  GroupKind,
  JoinSpec,
  OperatorSpec,
  PipelineSpec,
  Predicate,
  ResourceSpec,
  SourceSpec,
  SourceType,
  StepSpec,
  TargetSpec,
  TargetType,
} from './spec.ts'
export { VIEW_VERSION, viewGroup } from './spec.ts'

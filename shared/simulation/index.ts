export {
  BATCHES,
  type BatchSettings,
  type RunMeasures,
  type SimulatedSettings,
  type SimulationObserver,
  type SimulationOptions,
  type SimulationResult,
  simulate,
  type Watching,
  type WriteMeasures,
} from './engine/index.ts'
export { POLICY_NAMES, type PolicyName } from './policies/index.ts'
export {
  PHASES,
  type Phase,
  PRESET_NAMES,
  PRESETS,
  type PresetName,
  type PresetOptions,
  type PresetResult,
  simulatePreset,
} from './presets.ts'
export { createRandom, type Random } from './random.ts'
export {
  buffersOf,
  createBatchReader,
  createBatchWriter,
  type EventBatch,
  type RecordedSettings,
  type RecordedWorkload,
  RecordedWorkloadError,
  type RecordedWorkloadOptions,
  recordedWorkload,
} from './recorded/index.ts'
export {
  CLUSTER_COUNTS,
  MAX_SERVICES,
  MEASURED_SERVICES,
  measureService,
  type ScaleRow,
  type ScaleSettings,
  type ServiceLoad,
  scaleTo,
  type Use,
} from './scale.ts'
export { ENCODINGS, type Encoding } from './sizes/index.ts'
export {
  type ChurnOptions,
  type ClusterSize,
  ContradictionError,
  churnWorkload,
  type LossOptions,
  lossWorkload,
  type PodEvent,
  type RelayEvent,
  type RollingOptions,
  replay,
  rollingWorkload,
  type ScaleOptions,
  scaleWorkload,
  type Workload,
} from './workloads/index.ts'

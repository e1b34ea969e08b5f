export {
  ADVISED,
  type Advice,
  advise,
  adviseBatches,
  describeAdvice,
  TRIED_BATCHES,
  triedWith,
} from './advise.ts'
export { describePreset } from './describe-preset.ts'
export { describeScale } from './describe-scale.ts'
export { openRecorded } from './open-recorded.ts'
export { describeMatrix, type Matrix, type MatrixRun, runMatrix } from './run-matrix.ts'

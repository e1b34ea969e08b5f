export { ADVISED, type Advice, advise, describeAdvice } from './advise.ts'
export { describePreset } from './describe-preset.ts'
export { describeScale } from './describe-scale.ts'
export { describeMatrix, type Matrix, type MatrixRun, type MatrixSettings, runMatrix } from './run-matrix.ts'

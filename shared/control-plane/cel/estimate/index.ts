export { type DeclaredSize, declaredSize, mostValues } from './declared-size.ts'
export { estimateCost, mostCost } from './estimator.ts'

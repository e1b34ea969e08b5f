export { ChosenSlices, parseChoice } from './chosen-slices.ts'

export { STATES, stateOf } from './states.ts'
export { STYLE } from './style.ts'

export { bar, sparkline } from './charts.ts'
export { type Style, type Terminal, terminalOf } from './terminal.ts'
export { fitted, wrapped } from './wrapped.ts'

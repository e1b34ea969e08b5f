export { bar, sparkline } from './charts.ts'
export { styledWord } from './styled-word.ts'
export { type Style, type Terminal, terminalOf } from './terminal.ts'
export { fitted, fittedText, wrapped } from './wrapped.ts'

export { bar, sparkline } from './charts.ts'
export { fitted, fittedText, type Style, styledWord, type Terminal, terminalOf, wrapped } from './terminal.ts'

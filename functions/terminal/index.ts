export { bar, sparkline } from './charts.ts'
export {
  fitted,
  fittedText,
  type Style,
  styledWord,
  type Terminal,
  terminalOf,
  truncated,
  wrapped,
} from './terminal.ts'

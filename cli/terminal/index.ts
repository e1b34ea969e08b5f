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
export {
  ageText,
  columns,
  conditionsText,
  counted,
  durationText,
  labelled,
  listText,
  type Row,
  tableWithNotes,
} from './text.ts'

import { Option } from 'commander'

/** Formats that programs read. */
export type DocumentFormat = 'json' | 'yaml'
export type OutputFormat = 'text' | DocumentFormat

/** Makes the flag of commands that print a report. */
export const outputOption = (description = 'how to print it'): Option =>
  new Option('-o, --output <format>', description).choices(['text', 'json', 'yaml']).default('text')

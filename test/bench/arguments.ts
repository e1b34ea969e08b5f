import { InvalidArgumentError } from 'commander'

/** Reads a number above 0. @throws InvalidArgumentError */
export function positive(text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new InvalidArgumentError('must be a number above 0.')
  return value
}

/** Reads a whole number, 1 or more. @throws InvalidArgumentError */
export function count(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('must be a whole number, 1 or more.')
  return Number(text)
}

/** Reads two whole numbers, such as `500x20`. @param form what they are @throws InvalidArgumentError */
export function pair(text: string, form: string): [number, number] {
  const [, first, second] = /^([1-9]\d*)x([1-9]\d*)$/.exec(text) ?? []
  if (first === undefined) throw new InvalidArgumentError(`must be ${form}.`)
  return [Number(first), Number(second)]
}

/** Returns a writer of progress to standard error, with the seconds since it was created. */
export function createReport(): (line: string) => void {
  const started = performance.now()
  return (line) => {
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    process.stderr.write(`${seconds.padStart(4)} s  ${line}\n`)
  }
}

import { SpecError, type SpecProblem } from '../errors.ts'
import type { Place } from './located.ts'

/** Collects all problems of a text, so that they are reported together. */
export class Problems {
  readonly #file: string
  readonly #found: SpecProblem[] = []

  constructor(file: string) {
    this.#file = file
  }

  add(place: Place, message: string): void {
    this.#found.push({ file: this.#file, line: place.line, column: place.column, message })
  }

  get any(): boolean {
    return this.#found.length > 0
  }

  /** @throws SpecError with all of them, in the order of the text */
  throwIfAny(): void {
    if (this.#found.length === 0) return
    throw new SpecError(this.#found.toSorted((a, b) => a.line - b.line || a.column - b.column))
  }
}

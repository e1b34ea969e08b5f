import type { RE2JS } from '@bufbuild/re2'

type Program = ReturnType<RE2JS['re2']>['prog']
type Instruction = Program['inst'][number]

/** Conditions of instructions that take no character, as RE2 numbers them. */
const BEGIN_LINE = 1
const END_LINE = 2
const BEGIN_TEXT = 4
const END_TEXT = 8
const WORD_BOUNDARY = 16
const NO_WORD_BOUNDARY = 32

/** Operations of a compiled expression, as RE2 numbers them. */
const ALT = 1
const ALT_MATCH = 2
const CAPTURE = 3
const EMPTY_WIDTH = 4
const FAIL = 5
const MATCH = 6
const NOP = 7

/** A way through the program, and where its match began. */
interface Thread {
  readonly pc: number
  readonly start: number
}

/**
 * Finds the leftmost match from a position on, the one that Perl would choose, by running all ways through
 * the program at once: the engine itself finds only whether there is one. Takes the length of the text times
 * that of the program.
 */
export function findMatch(
  program: Program,
  characters: readonly string[],
  from: number,
): readonly [start: number, end: number] | undefined {
  let threads: Thread[] = []
  let found: readonly [number, number] | undefined
  for (let at = from; at <= characters.length; at++) {
    const start = found ? [] : [{ pc: program.start, start: at }]
    const ready = follow(program, [...threads, ...start], emptyAt(characters, at))
    const point = characters[at]?.codePointAt(0)
    threads = []
    for (const { pc, start } of ready) {
      const instruction = program.getInst(pc)
      if (instruction.op === MATCH) {
        found = [start, at]
        break
      }
      if (point !== undefined && instruction.matchRune(point)) threads.push({ pc: instruction.out, start })
    }
    if (found && threads.length === 0) return found
  }
  return found
}

/** Collects the instructions that take a character or match, reached without one; preferred ones first. */
function follow(program: Program, threads: readonly Thread[], conditions: number): Thread[] {
  const seen = new Set<number>()
  const ready: Thread[] = []
  const pending = threads.toReversed()
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (seen.has(next.pc)) continue
    seen.add(next.pc)
    const instruction = program.getInst(next.pc)
    const after = stepsFrom(instruction, conditions)
    if (after === undefined) ready.push(next)
    else for (const pc of after.toReversed()) pending.push({ pc, start: next.start })
  }
  return ready
}

/** Returns where an instruction leads without taking a character; undefined if it takes one or matches. */
function stepsFrom({ op, out, arg }: Instruction, conditions: number): readonly number[] | undefined {
  switch (op) {
    case ALT:
    case ALT_MATCH:
      return [out, arg]
    case CAPTURE:
    case NOP:
      return [out]
    case EMPTY_WIDTH:
      return (arg & ~conditions) === 0 ? [out] : []
    case FAIL:
      return []
    default:
      return undefined
  }
}

function emptyAt(characters: readonly string[], at: number): number {
  const [before, after] = [characters[at - 1], characters[at]]
  const isBoundary = isWord(before) !== isWord(after)
  return (
    (before === undefined ? BEGIN_TEXT | BEGIN_LINE : 0) |
    (after === undefined ? END_TEXT | END_LINE : 0) |
    (before === '\n' ? BEGIN_LINE : 0) |
    (after === '\n' ? END_LINE : 0) |
    (isBoundary ? WORD_BOUNDARY : NO_WORD_BOUNDARY)
  )
}

const isWord = (character: string | undefined): boolean => character !== undefined && /\w/.test(character)

/** Tells a story in plain lines, each with the seconds since its beginning. */
export interface Narrator {
  chapter(title: string): void
  line(text: string): void
}

export function createNarrator(write: (text: string) => void): Narrator {
  const began = performance.now()
  const seconds = (): string => `${((performance.now() - began) / 1000).toFixed(2).padStart(6)} s`
  return {
    chapter: (title) => write(`\n${seconds()}  ${title}\n`),
    line: (text) => write(`${seconds()}    ${text}\n`),
  }
}

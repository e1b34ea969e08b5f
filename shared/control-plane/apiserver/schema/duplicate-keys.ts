/** One token of JSON: a string, a bracket, a comma, a colon, or a run of anything else. */
const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^"{}[\],:\s]+)/gy

interface Frame {
  readonly path: string
  /** Undefined for arrays. */
  readonly keys: Set<string> | undefined
  key: string
  index: number
}

/** Returns paths of repeated members of a valid JSON text, innermost first, such as `data.a`. */
export function duplicateKeys(text: string): string[] {
  const found: string[] = []
  scanMembers(text, (path, isRepeated) => {
    if (isRepeated) found.push(path())
  })
  return found
}

/** Returns the paths of all members in a JSON text, in its order; repeated ones as often. */
export function memberPaths(text: string): string[] {
  const found: string[] = []
  scanMembers(text, (path) => found.push(path()))
  return found
}

type Visit = (path: () => string, isRepeated: boolean) => void

function scanMembers(text: string, visit: Visit): void {
  const scan = new Scan(visit)
  for (const [, token = ''] of text.matchAll(TOKEN)) scan.token(token)
}

class Scan {
  readonly #visit: Visit
  readonly #stack: Frame[] = []
  #last = ''

  constructor(visit: Visit) {
    this.#visit = visit
  }

  token(token: string): void {
    const frame = this.#stack.at(-1)
    if (token === '{' || token === '[') this.#open(token, frame)
    else if (token === '}' || token === ']') this.#stack.pop()
    else if (token === ',' && frame) frame.index++
    else if (token === ':' && frame?.keys) this.#member(frame, frame.keys)
    this.#last = token
  }

  #open(token: string, frame: Frame | undefined): void {
    const keys = token === '{' ? new Set<string>() : undefined
    this.#stack.push({ path: frame ? childPath(frame) : '', keys, key: '', index: 0 })
  }

  #member(frame: Frame, keys: Set<string>): void {
    frame.key = String(JSON.parse(this.#last))
    this.#visit(() => childPath(frame), keys.has(frame.key))
    keys.add(frame.key)
  }
}

function childPath(frame: Frame): string {
  if (!frame.keys) return `${frame.path}[${frame.index}]`
  return frame.path ? `${frame.path}.${frame.key}` : frame.key
}

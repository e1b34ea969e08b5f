/** One token of JSON: a string, a bracket, a comma, a colon, or a run of anything else. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^"{}[\],:\s]+/gy
const SPACE = /\s*/y

interface Frame {
  readonly path: string
  readonly keys: Set<string> | undefined
  key: string
  index: number
}

/** The paths of object members that a JSON text has more than once, innermost first, as `data.a`. The text must be valid JSON. */
export function duplicateKeys(text: string): string[] {
  const found: string[] = []
  const stack: Frame[] = []
  let position = 0
  let last = ''
  const next = (): string | undefined => {
    SPACE.lastIndex = position
    SPACE.exec(text)
    TOKEN.lastIndex = SPACE.lastIndex
    const token = TOKEN.exec(text)?.[0]
    position = TOKEN.lastIndex
    return token
  }
  for (let token = next(); token !== undefined; token = next()) {
    const frame = stack.at(-1)
    if (token === '{' || token === '[') {
      stack.push({
        path: frame ? childPath(frame) : '',
        keys: token === '{' ? new Set() : undefined,
        key: '',
        index: 0,
      })
    } else if (token === '}' || token === ']') stack.pop()
    else if (token === ',' && frame) frame.index++
    else if (token === ':' && frame?.keys) {
      frame.key = String(JSON.parse(last))
      if (frame.keys.has(frame.key)) found.push(childPath(frame))
      frame.keys.add(frame.key)
    }
    last = token
  }
  return found
}

function childPath(frame: Frame): string {
  if (!frame.keys) return `${frame.path}[${frame.index}]`
  return frame.path ? `${frame.path}.${frame.key}` : frame.key
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** Returns how deep lists and objects nest in a JSON text, or YAML in JSON form, reading it once. */
export function nestingOf(text: string): number {
  let depth = 0
  let deepest = 0
  let isString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === BACKSLASH) index++
    else if (code === QUOTE) isString = !isString
    else if (isString) continue
    else if (OPENING.has(code)) deepest = Math.max(deepest, ++depth)
    else if (CLOSING.has(code)) depth--
  }
  return deepest
}

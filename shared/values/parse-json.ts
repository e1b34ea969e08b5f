/** Parses JSON that others wrote. Returns undefined for a text that is none: an error would quote it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

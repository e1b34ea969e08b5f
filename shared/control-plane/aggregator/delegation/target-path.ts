/** Splits a path at each `/`, also encoded ones; undefined for a part `.` or `..`, which no name is. */
export function pathParts(path: string): string[] | undefined {
  const parts = decoded(path).split('/').slice(1)
  return parts.includes('.') || parts.includes('..') ? undefined : parts
}

/** Escapes the path as this server has understood it, so that no other server can read it differently. */
export function escapedPath(path: string): string {
  return decoded(path).split('/').map(escapedPart).join('/')
}

function escapedPart(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replace(/%(24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

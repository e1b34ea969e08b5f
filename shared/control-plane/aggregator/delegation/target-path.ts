/**
 * The parts of a path below `/`, percent-decoded: encoded slashes part names as plain ones do. Undefined
 * where it leaves its place by `.` or `..`, which no name is.
 */
export function pathParts(path: string): string[] | undefined {
  const parts = decoded(path).split('/').slice(1)
  return parts.includes('.') || parts.includes('..') ? undefined : parts
}

/** The path as this server has understood it: no other server is to read another one out of it. */
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

import type { Readable } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'

/**
 * Decompresses the bytes of a source whose name ends in `.gz`; others stay. If a source is cut off, the part
 * before the cut is read.
 */
export function decompress(name: string, bytes: Readable): Readable {
  if (!name.endsWith('.gz')) return bytes
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
  bytes.on('error', (error) => gunzip.destroy(error))
  return bytes.pipe(gunzip)
}

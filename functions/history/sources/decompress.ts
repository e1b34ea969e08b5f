import type { Readable } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'

/**
 * The bytes of a source by its name: those of `.gz` are decompressed. Of one that is cut off there is what
 * comes before.
 */
export function decompress(name: string, bytes: Readable): Readable {
  if (!name.endsWith('.gz')) return bytes
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
  bytes.on('error', (error) => gunzip.destroy(error))
  return bytes.pipe(gunzip)
}

const SHAPE = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/

/** Orders versions as Kubernetes does: `v2`, `v1`, `v1beta1`, `v1alpha1`, then all others by name. */
export function compareVersions(a: string, b: string): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)]
  if (!rankA || !rankB) return rankA ? -1 : rankB ? 1 : a < b ? -1 : Number(a > b)
  const different = rankA.findIndex((part, index) => part !== rankB[index])
  return different < 0 ? 0 : (rankB[different] ?? 0) - (rankA[different] ?? 0)
}

/** Returns stability, major and minor number; undefined for a version of another form. */
function rankOf(version: string): readonly number[] | undefined {
  const [whole, major, stage = '', minor = '0'] = SHAPE.exec(version) ?? []
  if (whole === undefined) return undefined
  return [['alpha', 'beta', ''].indexOf(stage), Number(major), Number(minor)]
}

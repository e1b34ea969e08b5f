import { quoted } from '../../../kubernetes/index.ts'
import { finalizersOf, type KubeObject } from '../../apimachinery/objects.ts'

const STANDARD = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

/** Returns warnings about new finalizers that others might use as well. */
export function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const known = new Set(old ? finalizersOf(old) : [])
  return finalizersOf(object)
    .filter((name) => !known.has(name) && !name.includes('/') && !STANDARD.has(name))
    .map((name) => {
      const better = name.includes('.') ? ' including a path (/)' : ''
      return `metadata.finalizers: ${quoted(name)}: prefer a domain-qualified finalizer name${better} to avoid accidental conflicts with other finalizer writers`
    })
}

/**
 * How many clusters must fail for the whole to fail: `any` of them, or `all`. With `all` a failure in some
 * of them counts as a warning, since `run` serves the others without them.
 */
export const FAIL_ON = ['any', 'all'] as const
export type FailOn = (typeof FAIL_ON)[number]

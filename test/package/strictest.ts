/** The strictest options of a compiler, with which declarations of others are checked as well. */
export const STRICTEST = {
  target: 'es2024',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
  noEmit: true,
}

/** Exit codes of every command. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'done, also after SIGTERM or SIGINT' },
  failed: {
    code: 1,
    meaning:
      'failed; `status`: something is wrong; `preflight`: `run` would fail; after a second SIGTERM or SIGINT: running work was not finished',
  },
  wrongUse: { code: 2, meaning: 'usage error: a flag, a variable or a setting; nothing was done' },
  warnings: { code: 3, meaning: '`preflight`: `run` would work, with warnings' },
} as const

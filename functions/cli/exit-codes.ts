/** Exit codes of every command. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'done, also after SIGTERM or SIGINT' },
  failed: {
    code: 1,
    meaning:
      'failed; `status`: something is not as it should be; and at a second SIGTERM or SIGINT, what was begun was not finished',
  },
  wrongUse: { code: 2, meaning: 'wrong use: of a flag, a variable or a setting; nothing was done' },
} as const

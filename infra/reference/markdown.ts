export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(escapeCell))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')

const escapeCell = (text: string): string => text.replaceAll('|', '\\|')

/**
 * Controls, format characters (bidirectional overrides) and what ends a line: terminals act on them, and they
 * forge log lines.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

/**
 * Makes a text of others fit for one line of a terminal: each run of characters that do not print becomes a
 * space.
 */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, ' ')

/**
 * Controls, format characters (bidirectional overrides) and what ends a line: terminals act on them, and they
 * forge log lines.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

/**
 * A text of others as part of one line for a terminal: each run of characters that do not print is a space.
 */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, ' ')

/** Controls, bidirectional overrides and line ends: terminals act on them, and they forge log lines. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

/** Makes others' text fit for a line of a terminal: unprintable characters become a space. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, ' ')

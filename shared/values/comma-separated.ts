/** Returns the items of a list such as `a, b`. */
export const commaSeparated = (text: string): string[] => text.split(',').map((item) => item.trim())

/** Where fauxqs' modules are: the one that it exports; the others are named by their place beside it. */
export const QUEUE_MODULES = import.meta.resolve('fauxqs')

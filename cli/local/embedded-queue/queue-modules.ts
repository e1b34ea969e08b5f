/** URL of the module that fauxqs exports; its other modules are named by their place beside it. */
export const QUEUE_MODULES = import.meta.resolve('fauxqs')

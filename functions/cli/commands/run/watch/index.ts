export { createWatchReader, openWatchScreen } from './watch-screen.ts'

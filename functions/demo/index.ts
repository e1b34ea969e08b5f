export { type DemoOptions, runDemo } from './demo.ts'

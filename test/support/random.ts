export { createRandom, type Random } from '../../shared/simulation/index.ts'

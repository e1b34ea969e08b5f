export { OpenApi, type OpenApiDocument, type OpenApiSource } from './open-api.ts'
